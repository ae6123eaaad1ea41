import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Db } from 'mongodb';
import { MongoCommits } from './mongo/commits.ts';
import type { Commit } from './port.ts';
import type { StoredCommit } from './store.ts';
import { delay } from './waiting.ts';

/** What a relay needs of a broker; `@tidings/streaming`'s has it. */
export interface Publisher {
  publish(topic: string, records: readonly { readonly key: string; readonly value: Uint8Array }[]): Promise<unknown>;
}

/** A record that a commit becomes, and where it goes. */
export interface RelayedRecord {
  readonly topic: string;
  readonly key: string;
  readonly value: Uint8Array;
}

export interface RelayOptions<Event> {
  readonly db: Db;
  readonly category: string;
  readonly decode: (bytes: Uint8Array) => Event;
  readonly broker: Publisher;
  /** The records of a commit, in order. Repeated after a failure. */
  readonly publish: (commit: Commit<Event>) => readonly RelayedRecord[] | Promise<readonly RelayedRecord[]>;
  /** Hears of what did not go well; the work is repeated. */
  readonly onProblem?: (error: unknown) => void;
  /** How often commits of other processes are looked for. @default 500 */
  readonly lookEveryMs?: number;
}

export interface Relay<Event> {
  /** Hands over a fresh commit of this process, so that it need not be read back: pass it as `committed` to the writer. */
  readonly offer: (commit: Commit<Event>) => void;
  /** True when everything that is committed has been published. */
  level(): Promise<boolean>;
  close(): Promise<void>;
}

const LEASE_MS = 10_000;
const RENEW_MS = 2_000;
const LOOK_EVERY_MS = 500;
const PAUSE_MS = 100;
const COMMITS_AT_ONCE = 500;
const LOGS_AT_ONCE = 10_000;
const OFFERED_AT_MOST = 10_000;

/** A log as the relay sees it: published up to a number, and what follows that number without a gap. */
interface Tail<Event> {
  readonly log: string;
  published: number;
  queue: Commit<Event>[];
  /** Commits may lie in the collection that are not in the queue. */
  behind: boolean;
}

/**
 * Publishes the commits of a category in the order of their logs (architecture 4). One process at a time does, by lease; what it had
 * published is kept after the broker's acknowledgement, so that whoever comes next repeats, and never skips.
 */
export async function openRelay<Event>(options: RelayOptions<Event>): Promise<Relay<Event>> {
  const relay = new CommitRelay(options);
  await relay.start();
  return relay;
}

class CommitRelay<Event> implements Relay<Event> {
  readonly #options: RelayOptions<Event>;
  readonly #commits: MongoCommits;
  readonly #lease: Lease;
  readonly #tails = new Map<string, Tail<Event>>();
  readonly #waiting = new Set<Tail<Event>>();
  readonly #raised = new Map<string, number>();
  #offered = 0;
  #wake: (() => void) | undefined;
  #looking: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: RelayOptions<Event>) {
    this.#options = options;
    this.#commits = new MongoCommits(options.db, options.category);
    this.#lease = new Lease(options.db, `relay/${options.category}`);
  }

  async start(): Promise<void> {
    await this.#look();
    this.#running = this.#run();
    const again = (): void => {
      this.#looking = setTimeout(
        () => void this.#look().catch(this.#report).finally(again),
        this.#options.lookEveryMs ?? LOOK_EVERY_MS,
      ).unref();
      if (this.#closed) clearTimeout(this.#looking);
    };
    again();
  }

  readonly offer = (commit: Commit<Event>): void => {
    const tail = this.#tailOf(commit.log);
    if (tail.behind || commit.n !== this.#lastOf(tail) + 1 || this.#offered >= OFFERED_AT_MOST) tail.behind = true;
    else {
      tail.queue.push(commit);
      this.#offered++;
    }
    this.#waiting.add(tail);
    this.#wake?.();
  };

  async level(): Promise<boolean> {
    if (this.#waiting.size > 0) return false;
    await this.#look();
    return this.#waiting.size === 0;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#looking);
    this.#wake?.();
    await this.#running;
    await this.#keepPublished().catch(this.#report);
    await this.#lease.release().catch(this.#report);
  }

  readonly #report = (error: unknown): void => this.#options.onProblem?.(error);

  #tailOf(log: string): Tail<Event> {
    const known = this.#tails.get(log);
    if (known) return known;
    // A log that this relay has not met may have been published by another one: its head tells.
    const tail: Tail<Event> = { log, published: -1, queue: [], behind: true };
    this.#tails.set(log, tail);
    return tail;
  }

  #lastOf({ published, queue }: Tail<Event>): number {
    return queue.at(-1)?.n ?? published;
  }

  /** Finds logs with commits that nobody has published yet, whoever wrote them. */
  async #look(): Promise<void> {
    await this.#keepPublished();
    for (let after = ''; ;) {
      const heads = await this.#commits.headsAfter(after, LOGS_AT_ONCE);
      const open = heads.map(({ _id: log, published }) => ({
        log,
        applied: Math.max(published ?? 0, this.#tails.get(log)?.published ?? 0),
      }));
      for (const log of await this.#commits.ahead(open)) {
        const tail = this.#tailOf(log);
        if (tail.queue.length === 0) tail.behind = true;
        this.#waiting.add(tail);
      }
      const last = heads.at(-1);
      if (!last || heads.length < LOGS_AT_ONCE) break;
      after = last._id;
    }
    if (this.#waiting.size > 0) this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      if (this.#waiting.size === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
      if (this.#closed || this.#waiting.size === 0) continue;
      try {
        if (await this.#lease.held()) await this.#publishSome();
        else this.#standBy();
      } catch (error) {
        this.#report(error);
        await delay(PAUSE_MS);
      }
    }
  }

  /** Another relay publishes; this one forgets what it was offered and looks again later. */
  #standBy(): void {
    this.#tails.clear();
    this.#waiting.clear();
    this.#offered = 0;
  }

  async #publishSome(): Promise<void> {
    const taken: { readonly tail: Tail<Event>; readonly commits: readonly Commit<Event>[] }[] = [];
    let count = 0;
    for (const tail of this.#waiting) {
      if (tail.queue.length === 0 && tail.behind) await this.#read(tail);
      const commits = tail.queue.slice(0, COMMITS_AT_ONCE);
      if (commits.length > 0) taken.push({ tail, commits });
      else this.#waiting.delete(tail);
      if ((count += commits.length) >= COMMITS_AT_ONCE) break;
    }
    const byTopic = new Map<string, RelayedRecord[]>();
    for (const commit of taken.flatMap(({ commits }) => commits)) {
      for (const record of await this.#options.publish(commit)) {
        const records = byTopic.get(record.topic);
        if (records) records.push(record);
        else byTopic.set(record.topic, [record]);
      }
    }
    await Promise.all([...byTopic].map(([topic, records]) => this.#options.broker.publish(topic, records)));
    for (const { tail, commits } of taken) {
      tail.queue.splice(0, commits.length);
      this.#offered -= Math.min(this.#offered, commits.length);
      tail.published = commits.at(-1)!.n;
      this.#raised.set(tail.log, tail.published);
      if (tail.queue.length === 0 && !tail.behind) this.#waiting.delete(tail);
    }
  }

  async #read(tail: Tail<Event>): Promise<void> {
    if (tail.published < 0) tail.published = (await this.#commits.heads([tail.log])).get(tail.log)?.published ?? 0;
    // Cleared before reading: a commit that is offered meanwhile does not fit and sets it again.
    tail.behind = false;
    const found = await this.#commits.after(tail.log, tail.published, COMMITS_AT_ONCE).catch((error: unknown) => {
      tail.behind = true;
      throw error;
    });
    tail.queue.push(...found.map((commit) => this.#decoded(commit)));
    if (found.length === COMMITS_AT_ONCE) tail.behind = true;
  }

  #decoded({ events, ...commit }: StoredCommit): Commit<Event> {
    return { ...commit, events: events.map((bytes) => this.#options.decode(bytes)) };
  }

  async #keepPublished(): Promise<void> {
    if (this.#raised.size === 0) return;
    const raised = new Map(this.#raised);
    await this.#commits.raise('published', raised);
    for (const [log, n] of raised) if (this.#raised.get(log) === n) this.#raised.delete(log);
  }
}

interface LeaseDocument {
  readonly _id: string;
  readonly owner: string;
  readonly host: string;
  readonly pid: number;
  readonly until: Date;
}

/** Who publishes: one process at a time, 10 s long, renewed every 2 s; one whose process on this host is gone is followed at once. */
class Lease {
  readonly #leases;
  readonly #name: string;
  readonly #owner = randomUUID();
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, name: string) {
    this.#leases = db.collection<LeaseDocument>('leases');
    this.#name = name;
  }

  async held(): Promise<boolean> {
    const asked = performance.now();
    if (asked - this.#renewedAt < RENEW_MS) return true;
    const now = Date.now();
    const mine = { owner: this.#owner, host: hostname(), pid: process.pid, until: new Date(now + LEASE_MS) };
    const holder = await this.#leases.findOne({ _id: this.#name });
    if (holder && holder.owner !== this.#owner && holder.until.getTime() > now && !isGone(holder)) return false;
    const filter = { _id: this.#name, ...(holder ? { owner: holder.owner } : { owner: { $exists: false } }) };
    try {
      const { matchedCount, upsertedCount } = await this.#leases.updateOne(filter, { $set: mine }, { upsert: !holder });
      if (matchedCount + upsertedCount === 0) return false;
    } catch {
      return false;
    }
    this.#renewedAt = asked;
    return true;
  }

  async release(): Promise<void> {
    await this.#leases.deleteOne({ _id: this.#name, owner: this.#owner });
  }
}

function isGone({ host, pid }: LeaseDocument): boolean {
  if (host !== hostname() || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
