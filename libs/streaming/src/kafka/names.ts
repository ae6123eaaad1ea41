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

export const partitionKey = (topic: string, partition: number): string => `${topic}/${partition}`;
