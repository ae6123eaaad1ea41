interface SizedEntriesOptions {
  /** @default Infinity */
  readonly atMost?: number;
  readonly maxBytes: number;
}

interface Content {
  readonly content: object;
  readonly bytes: number;
}

/** The oldest entry is dropped first; the newest stays, whatever its size. */
export class SizedEntries<Value> {
  readonly #atMost: number;
  readonly #maxBytes: number;
  readonly #entries = new Map<string, { readonly value: Value; readonly content: object }>();
  readonly #contents = new Map<object, { readonly bytes: number; uses: number }>();
  #bytes = 0;

  constructor({ atMost = Infinity, maxBytes }: SizedEntriesOptions) {
    this.#atMost = atMost;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: Value, { content, bytes }: Content): void {
    this.delete(key);
    this.#entries.set(key, { value, content });
    const shared = this.#contents.get(content);
    if (shared) shared.uses++;
    else {
      this.#contents.set(content, { bytes, uses: 1 });
      this.#bytes += bytes;
    }
    for (const oldest of this.#entries.keys()) {
      const fits = this.#entries.size <= this.#atMost && this.#bytes <= this.#maxBytes;
      if (fits || oldest === key) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    const content = this.#contents.get(entry.content)!;
    if (--content.uses > 0) return;
    this.#contents.delete(entry.content);
    this.#bytes -= content.bytes;
  }
}
