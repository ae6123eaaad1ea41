interface RecentEntriesOptions {
  /** The map holds at most twice as many. */
  readonly atLeast: number;
  readonly retentionMs: number;
  readonly now?: () => number;
}

/** Drops old values in constant time. */
export class RecentEntries<Value> {
  readonly #atLeast: number;
  readonly #retentionMs: number;
  readonly #now: () => number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #since: number;

  constructor({ atLeast, retentionMs, now = () => performance.now() }: RecentEntriesOptions) {
    this.#atLeast = atLeast;
    this.#retentionMs = retentionMs;
    this.#now = now;
    this.#since = now();
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: Value): void {
    const now = this.#now();
    const age = now - this.#since;
    if (age >= this.#retentionMs || this.#young.size >= this.#atLeast) {
      this.#old = age >= 2 * this.#retentionMs ? new Map<string, Value>() : this.#young;
      this.#young = new Map();
      this.#since = now;
    }
    this.#old.delete(key);
    this.#young.set(key, value);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
