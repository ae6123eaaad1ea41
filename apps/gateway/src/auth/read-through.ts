import { RecentEntries } from '@tidings/kernel';

export interface ReadThroughOptions<Value> {
  /** Reads a value from its owner; undefined where there is none. */
  readonly read: (name: string) => Promise<Value | undefined>;
  /** The cache key of a name. @default the name itself */
  readonly keyOf?: (name: string) => string;
  /** How long a value is used without being read again. */
  readonly maxAgeMs: number;
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly now?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  /** When the read began. */
  readonly since: number;
}

/** Reads of one key: the one under way, and the one that begins when it ends. */
interface Reads<Value> {
  /** When the current read began. */
  readonly since: number;
  readonly current: Promise<Value | undefined>;
  next?: Promise<Value | undefined>;
}

/** Values that are not dropped for their number; at most twice as many. */
const ENTRIES = 50_000;

/**
 * A cache of authorization data that other services own. A value is valid for a bounded time; an absence is never cached, so no refusal rests on an
 * old answer. Callers that need the same key share reads: at most one is under way and one waits.
 */
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

  /**
   * The value, read at most `maxAgeMs` before the call; undefined only after a read that began after the call. A value past half of its maximum age
   * is refreshed in the background.
   */
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

  /** The value after a read that begins after the call. */
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
