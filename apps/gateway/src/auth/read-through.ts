import { RecentEntries } from '@tidings/kernel';

export interface ReadThroughOptions<Value> {
  readonly read: (name: string) => Promise<Value | undefined>;
  readonly keyOf?: (name: string) => string;
  readonly maxAgeMs: number;
  readonly now?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly since: number;
}

interface Reads<Value> {
  readonly since: number;
  readonly current: Promise<Value | undefined>;
  next?: Promise<Value | undefined>;
}

const ENTRIES = 50_000;

/** An absence is never cached. Per key, one read is under way and one waits. */
export class ReadThrough<Value> {
  readonly #entries: RecentEntries<Entry<Value>>;
  readonly #reads = new Map<string, Reads<Value>>();
  readonly #read: ReadThroughOptions<Value>['read'];
  readonly #keyOf: (name: string) => string;
  readonly #maxAgeMs: number;
  readonly #now: () => number;

  constructor({ read, keyOf = (name) => name, maxAgeMs, now = () => performance.now() }: ReadThroughOptions<Value>) {
    this.#read = read;
    this.#keyOf = keyOf;
    this.#maxAgeMs = maxAgeMs;
    this.#entries = new RecentEntries({ atLeast: ENTRIES, retentionMs: maxAgeMs, now });
    this.#now = now;
  }

  /** Refreshes in the background past half of the maximum age. */
  get(name: string): Value | Promise<Value | undefined> {
    const key = this.#keyOf(name);
    const entry = this.#entries.get(key);
    if (!entry) return this.#shared(key, name);
    const age = this.#now() - entry.since;
    if (age > this.#maxAgeMs) return this.#shared(key, name);
    // A failure surfaces when a caller has to wait for the value.
    if (age > this.#maxAgeMs / 2 && !this.#reads.has(key)) this.#begin(key, name).catch(() => undefined);
    return entry.value;
  }

  fresh(name: string): Promise<Value | undefined> {
    return this.#fresh(this.#keyOf(name), name);
  }

  #fresh(key: string, name: string): Promise<Value | undefined> {
    const reads = this.#reads.get(key);
    if (!reads) return this.#begin(key, name);
    const begin = () => this.#begin(key, name);
    reads.next ??= reads.current.then(begin, begin);
    return reads.next;
  }

  async #shared(key: string, name: string): Promise<Value | undefined> {
    const reads = this.#reads.get(key);
    if (!reads) return this.#begin(key, name);
    const isTooOld = this.#now() - reads.since > this.#maxAgeMs;
    return (isTooOld ? undefined : await reads.current) ?? this.#fresh(key, name);
  }

  #begin(key: string, name: string): Promise<Value | undefined> {
    const since = this.#now();
    const current = this.#readNow(key, name, since).finally(() => this.#ended(key, reads));
    const reads: Reads<Value> = { since, current };
    this.#reads.set(key, reads);
    return reads.current;
  }

  #ended(key: string, reads: Reads<Value>): void {
    if (this.#reads.get(key) === reads) this.#reads.delete(key);
  }

  async #readNow(key: string, name: string, since: number): Promise<Value | undefined> {
    const value = await this.#read(name);
    if (value === undefined) this.#entries.delete(key);
    else this.#entries.set(key, { value, since });
    return value;
  }
}
