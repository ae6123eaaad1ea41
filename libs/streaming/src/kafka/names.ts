export class Names {
  readonly #prefix: string;

  constructor(namespace = '') {
    this.#prefix = namespace;
  }

  out(name: string): string {
    return this.#prefix + name;
  }

  in(name: string): string | undefined {
    return name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : undefined;
  }
}

/** A partition's key in maps. */
export const partitionKey = (topic: string, partition: number): string => `${topic}/${partition}`;
