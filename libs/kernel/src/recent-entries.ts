interface RecentEntriesOptions {
  /** Number of the newest entries that are not dropped for their number; the map holds at most twice as many. */
  readonly atLeast: number;
  /** Minimum age at which an entry is dropped, in milliseconds. */
  readonly retentionMs: number;
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly now?: () => number;
}

/**
 * A map of the entries that were set most recently, for values that can be read again. Old entries are dropped with the next one that is set, in
 * constant time: the young generation becomes the old one when it is full, or after `retentionMs`. The memory that a load takes therefore does not depend
 * on how long it lasts, and that of a peak is given back.
 */
export class RecentEntries<Value> {
  readonly #atLeast: number;
  readonly #retentionMs: number;
  readonly #now: () => number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  /** Begin of the young generation. */
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
