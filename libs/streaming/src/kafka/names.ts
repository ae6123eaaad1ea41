/** Topic and group names in Kafka. */
export class Names {
  readonly #prefix: string;

  constructor(namespace = '') {
    this.#prefix = namespace;
  }

  /** The name in Kafka. */
  out(name: string): string {
    return this.#prefix + name;
  }

  /** The name here; undefined for another system's. */
  in(name: string): string | undefined {
    return name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : undefined;
  }
}

/** A partition's key in maps. */
export const placeOf = (topic: string, partition: number): string => `${topic}/${partition}`;
