import { type ExclusiveData, RARE_LOOK_MS, toNextMultiple } from '@tidings/coordination';
import { type Clock, systemClock } from '@tidings/kernel';
import { openLease, type TakenLease, UnknownOutcome } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { getOrAdd } from '../get-or-add.ts';
import { withTimeout } from '../mongo/with-timeout.ts';
import { MongoCommits } from '../mongo/commits.ts';
import type { Commit } from '../event-log-port.ts';
import { CommitWatch } from './commit-watch.ts';
import { Outbox, type Publisher } from './outbox.ts';
import { SkippedCommits } from './skipped-commits.ts';
import { type Publishing, type RelayCounts, Tail, type TailDeps } from './tail.ts';

export interface RelayOptions<Event> {
  readonly db: Db;
  readonly category: string;
  readonly decode: (bytes: Uint8Array) => Event;
  /** False for a newer version's event kind: its log is left to that version (ADR 27). */
  readonly isKnown: (event: Event) => boolean;
  readonly broker: Publisher;
  /** With log and position, so that consumers drop repeats. `unavailable` is retried, others are passed over. */
  readonly publish: Publishing<Event>;
  /** @default 0 */
  readonly lingerMs?: number;
  readonly onProblem?: (error: unknown) => void;
  /** @default 5000, and 30000 with exclusive data */
  readonly checkEveryMs?: number;
  readonly exclusive?: ExclusiveData | undefined;
  readonly clock?: Clock;
}

export interface Relay<Event> {
  readonly enqueue: (commit: Commit<Event>) => void;
  /** True when every commit has been published, by any process. */
  caughtUp(): Promise<boolean>;
  /** True if this process publishes nothing and has stored its progress. */
  idle(): Promise<boolean>;
  close(): Promise<void>;
  readonly counts: Readonly<RelayCounts>;
  /** All commits of a log beyond memory count as one. */
  unpublished(): number;
  blockedLogs(): number;
}

const LEASE_MS = 10_000;
const RENEW_MS = 5_000;
const RETRY_RENEWAL_MS = 1_000;
/** Commits are reported by their writers: a look finds those of a dead one. */
const CHECK_INTERVAL_MS = 5_000;
/** Hints are lost when the store fails. */
const MAX_CHECK_PAUSE_MS = 10_000;
const PAGE = 1000;

/** Progress is stored after the broker's acknowledgement: a successor repeats, and never skips. */
export async function openRelay<Event>(options: RelayOptions<Event>): Promise<Relay<Event>> {
  const relay = new CommitRelay(options);
  await relay.start();
  return relay;
}

class CommitRelay<Event> implements Relay<Event> {
  readonly counts: RelayCounts = { commits: 0, records: 0, read: 0, skipped: 0 };
  readonly #commits: MongoCommits;
  readonly #lease: TakenLease;
  readonly #outbox: Outbox;
  readonly #watch: CommitWatch;
  readonly #checkEveryMs: number;
  readonly #report: (error: unknown) => void;
  readonly #deps: TailDeps<Event>;
  #tails = new Map<string, Tail<Event>>();
  readonly #published = new Map<string, number>();
  #renewal: NodeJS.Timeout | undefined;
  #nextCheck: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #hasChecked = false;
  #closed = false;
  #pausedUntil = -Infinity;
  readonly #reported = new Set<string>();

  constructor(options: RelayOptions<Event>) {
    const { db, category, clock = systemClock, broker, exclusive } = options;
    this.#report = (error) => options.onProblem?.(error);
    this.#commits = new MongoCommits(db, category);
    this.#lease = openLease(db, `relay/${category}`, {
      clock,
      lengthMs: LEASE_MS,
      reportsRivals: true,
      withTimeout,
      exclusive,
    });
    this.#outbox = new Outbox(broker, options.lingerMs ?? 0, this.#report);
    this.#watch = new CommitWatch(db, category, (log, position) => {
      if (this.#mayEnqueue(log)) this.#tailOf(log).raiseTo(position);
    });
    this.#checkEveryMs = options.checkEveryMs ?? (exclusive ? RARE_LOOK_MS : CHECK_INTERVAL_MS);
    this.#deps = {
      commits: this.#commits,
      outbox: this.#outbox,
      counts: this.counts,
      decode: options.decode,
      isKnown: options.isKnown,
      publish: options.publish,
      skipped: new SkippedCommits(db, category),
      report: this.#report,
      onBlocked: (error) => {
        if (!this.#reported.has(error.message)) this.#report(error);
        this.#reported.add(error.message);
      },
      mayPublish: () => !this.#closed && this.#lease.isHeld,
      published: (log, position) => void this.#published.set(log, position),
    };
  }

  async start(): Promise<void> {
    await this.#renew().catch((error: unknown) => {
      if (!(error instanceof UnknownOutcome)) throw error;
      this.#report(error);
    });
    this.#scheduleRenewal();
    this.#scheduleCheck(0);
  }

  readonly enqueue = (commit: Commit<Event>): void => {
    if (this.#mayEnqueue(commit.log)) this.#tailOf(commit.log).enqueue(commit);
  };

  unpublished(): number {
    let waiting = 0;
    for (const tail of this.#tails.values()) waiting += tail.unpublished;
    return waiting;
  }

  blockedLogs(): number {
    return [...this.#tails.values()].filter((tail) => tail.isBlocked).length;
  }

  async idle(): Promise<boolean> {
    if ([...this.#tails.values()].some((tail) => tail.busy)) return false;
    // Other processes know only stored positions.
    await this.#storePublished();
    return true;
  }

  async caughtUp(): Promise<boolean> {
    if (!(await this.idle())) return false;
    let isCaughtUp = true;
    await this.#eachHead((_, __, isAhead) => (isCaughtUp &&= !isAhead));
    return isCaughtUp;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#renewal);
    clearTimeout(this.#nextCheck);
    this.#outbox.close();
    await this.#watch.close();
    await Promise.all([...this.#tails.values()].map((tail) => tail.drained));
    await this.#checking?.catch(this.#report);
    await this.#storePublished().catch(this.#report);
    await this.#lease.release().catch(this.#report);
  }

  #scheduleRenewal(afterMs = toNextMultiple(RENEW_MS)): void {
    if (this.#closed) return;
    const renew = async (): Promise<void> => {
      try {
        await this.#renew();
        this.#scheduleRenewal();
      } catch (error) {
        this.#report(error);
        this.#scheduleRenewal(RETRY_RENEWAL_MS);
      }
    };
    this.#renewal = setTimeout(() => void renew(), afterMs).unref();
  }

  /** Looks use at most a fiftieth of the time. */
  #scheduleCheck(tookMs: number): void {
    if (this.#closed) return;
    const check = async (): Promise<void> => {
      const startedAt = performance.now();
      const checked = this.#check().then(() => performance.now() - startedAt);
      this.#scheduleCheck(await checked.catch((error: unknown) => (this.#report(error), 0)));
    };
    const pause = Math.min(50 * tookMs, MAX_CHECK_PAUSE_MS);
    this.#nextCheck = setTimeout(() => void check(), Math.max(toNextMultiple(this.#checkEveryMs), pause)).unref();
  }

  async #renew(): Promise<void> {
    if (performance.now() < this.#pausedUntil) return;
    const had = this.#lease.isHeld;
    const has = await this.#lease.take();
    if (this.#closed) return this.#lease.release();
    if (has && !had) {
      this.#tails = new Map();
      this.#hasChecked = false;
      await this.#check();
    }
    await this.#storePublished();
    if (has && this.#lease.hasRival && this.blockedLogs() > 0) return this.#yieldLease();
    if (this.#closed || !has || !this.#lease.hasRival) return this.#watch.close();
    // Earlier commits have not been reported.
    if (this.#watch.open(this.#report)) await this.#check();
  }

  async #yieldLease(): Promise<void> {
    this.#pausedUntil = performance.now() + LEASE_MS;
    await this.#watch.close();
    await this.#lease.release();
  }

  #check(): Promise<void> {
    this.#checking ??= this.#checkOnce().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  async #checkOnce(): Promise<void> {
    await this.#storePublished();
    if (!this.#deps.mayPublish()) return;
    const tails = this.#tails;
    await this.#eachHead((log, published, isAhead) => {
      const tail = this.#tailOf(log, published);
      if (isAhead) tail.poll();
    });
    this.#hasChecked = tails === this.#tails;
  }

  async #eachHead(visit: (log: string, published: number, isAhead: boolean) => void): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const heads = await this.#commits.headsAfter(after, PAGE);
      const positions = heads.map(({ _id: log, published }) => ({
        log,
        applied: Math.max(published, this.#published.get(log) ?? 0, this.#tails.get(log)?.published ?? 0),
      }));
      const ahead = await this.#commits.ahead(positions);
      for (const { log, applied } of positions) visit(log, applied, ahead.has(log));
      after = heads.length < PAGE ? undefined : heads.at(-1)!._id;
    }
  }

  /** An unknown position would be published again from the beginning. */
  #mayEnqueue(log: string): boolean {
    return this.#deps.mayPublish() && (this.#hasChecked || this.#tails.has(log));
  }

  #tailOf(log: string, published = 0): Tail<Event> {
    return getOrAdd(this.#tails, log, () => new Tail(log, published, this.#deps));
  }

  async #storePublished(): Promise<void> {
    if (this.#published.size === 0) return;
    const positions = new Map(this.#published);
    await this.#commits.raise('published', positions);
    for (const [log, position] of positions) if (this.#published.get(log) === position) this.#published.delete(log);
  }
}
