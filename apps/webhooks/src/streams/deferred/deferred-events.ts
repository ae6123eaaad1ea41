import { type Clock, steadyTime, sureTime } from '@tidings/kernel';
import { latestEnd, leftMs, storedEnd } from '../stored-waits.ts';
import {
  type DeferredOutcome,
  GIVE_UP_MS,
  isSamePlace,
  type NewUnacked,
  type Place,
  type Unacked,
} from '../unacked.ts';
import type { DeferredChange, DeferredEvent, DeferredPair, DeferredStore, DeferredSummary } from './deferred-store.ts';

export const MAX_DEFERRED = 100_000;
const PAGE = 100;
/** Pause for each deferred event that has failed: bounds what a subscriber that refuses everything costs, to 400 events a second. */
const PAUSE_MS = 2.5;
/** Pairs whose oldest event is removed at a time. */
const REMOVED_AT_ONCE = 500;
/** Intervals at which the oldest event is looked up, and events are counted: some are removed beside the stream, such as those of a deleted application. */
const LOOK_EVERY_MS = 5_000;
const COUNT_EVERY_MS = 60_000;

const isAfter = (one: Place, other: Place): boolean =>
  one.n !== other.n ? one.n > other.n : one.e !== other.e ? one.e > other.e : one.d > other.d;

export interface Removed {
  readonly givenUp: number;
  readonly dropped: number;
}

export interface DeferredOptions {
  readonly dropped: number;
  readonly clock: Clock;
  /** @default MAX_DEFERRED */
  readonly max?: number;
}

/**
 * The deferred events of a stream (R-EV5): those that failed three times, and later ones of the same device and message, which wait behind them. They are in the
 * store only; the memory that they take does not depend on their number. A stream calls one method at a time.
 */
export class DeferredEvents {
  readonly #store: DeferredStore;
  readonly #clock: Clock;
  readonly #max: number;
  readonly #next = new Map<string, DeferredEvent>();
  #length = 0;
  #dropped: number;
  #oldest: number | undefined;
  /** When an event may be sent, at the earliest, by the steady time. */
  #dueAt = -Infinity;
  #pausedUntil = -Infinity;
  #lookAt = -Infinity;
  #countAt = -Infinity;

  constructor(store: DeferredStore, { dropped, clock, max = MAX_DEFERRED }: DeferredOptions) {
    this.#store = store;
    this.#dropped = dropped;
    this.#clock = clock;
    this.#max = max;
  }

  get length(): number {
    return this.#length;
  }

  get summary(): DeferredSummary {
    const oldest = this.#length > 0 && this.#oldest !== undefined ? { oldest: this.#oldest } : {};
    return { length: this.#length, dropped: this.#dropped, ...oldest };
  }

  /** Counts what an earlier owner has left. */
  async open(): Promise<void> {
    this.#length = await this.#store.size();
    this.#countAt = this.#now() + COUNT_EVERY_MS;
  }

  /** Some that were taken are not sent after all. */
  returned(): void {
    this.#dueAt = -Infinity;
  }

  isDue(now: number): boolean {
    return this.#length > 0 && this.#dueAt <= now;
  }

  /** Milliseconds until more of them may be sent; Infinity without a pause. */
  get pauseMs(): number {
    const left = this.#pausedUntil - this.#now();
    return left > 0 ? left : Infinity;
  }

  /** The place of the last deferred event of each of these devices and messages. */
  async lastOf(keys: readonly string[]): Promise<ReadonlyMap<string, Place>> {
    return this.#length === 0 ? new Map() : this.#store.lastOf([...new Set(keys)]);
  }

  /**
   * Appends events, in the order of their pairs; the first of a new pair goes on with its failures and its wait. Events that are there already, before a crash,
   * stay as they are.
   */
  async add(events: readonly (NewUnacked | Unacked)[]): Promise<void> {
    if (events.length === 0) return;
    const pairs = Map.groupBy(events, ({ key }) => key);
    const last = await this.lastOf([...pairs.keys()]);
    const added = Array.from(pairs, ([key, ofPair]): DeferredPair => {
      const known = last.get(key);
      const [first] = ofPair;
      const fresh = known ? ofPair.filter((event) => isAfter(event, known)) : ofPair;
      const { failures, at } = first!;
      const stored = fresh.map(({ n, e, d, enqueuedAt }) => ({ n, e, d, enqueuedAt }));
      return { key, failures, at: storedEnd(this.#clock, at), events: stored };
    }).filter(({ events: fresh }) => fresh.length > 0);
    await this.#store.add(added);
    for (const { key, events: fresh } of added) {
      this.#length += fresh.length;
      this.#dueAt = Math.min(this.#dueAt, pairs.get(key)![0]!.at);
      this.#oldest = Math.min(this.#oldest ?? Infinity, fresh[0]!.enqueuedAt);
    }
  }

  /** Takes at most `limit` events that are due, one of each pair; not of the pairs that were taken before and are not over. */
  async take(now: number, limit: number, taken: ReadonlySet<string>): Promise<readonly NewUnacked[]> {
    if (limit <= 0 || !this.isDue(now) || this.#now() < this.#pausedUntil) return [];
    const wanted = Math.min(limit, PAGE);
    const found = await this.#store.soonest(wanted + taken.size + 1);
    const free = found.filter(({ key }) => !taken.has(key));
    const due = free.filter(({ at }) => leftMs(this.#clock, at) === 0);
    const later = free.find((pair) => !due.includes(pair));
    // The earliest of the others; none is known to be later if all were read.
    if (due.length <= wanted) this.#dueAt = later ? this.#now() + leftMs(this.#clock, later.at) : Infinity;
    return due.slice(0, wanted).map(({ key, events: [first, second], failures }) => {
      if (second) this.#next.set(key, second);
      else this.#next.delete(key);
      return { ...first!, key, failures, at: now };
    });
  }

  async apply(outcomes: readonly DeferredOutcome[]): Promise<void> {
    if (outcomes.length === 0) return;
    await this.#store.apply(outcomes.map((outcome) => this.#changeOf(outcome)));
    for (const { kind, event } of outcomes) {
      if (kind === 'failed') this.#dueAt = Math.min(this.#dueAt, event.at);
      else this.#over(event.key);
    }
    const failed = outcomes.filter(({ kind }) => kind === 'failed').length;
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now()) + failed * PAUSE_MS;
  }

  /** Removes the events that are 72 hours old, and the oldest ones of too many. @param removed called for each one */
  async prune(removed: (event: Place & { readonly key: string }) => void): Promise<Removed> {
    const sure = sureTime(this.#clock);
    if (this.#length === 0 || !this.#isPruned(sure)) return { givenUp: 0, dropped: 0 };
    this.#lookAt = this.#now() + LOOK_EVERY_MS;
    if (this.#now() >= this.#countAt) await this.open();
    if ((await this.#store.makeDue(latestEnd(this.#clock))) > 0) this.#dueAt = -Infinity;
    const excess = Math.max(0, this.#length - this.#max);
    const found = await this.#store.oldest(REMOVED_AT_ONCE);
    const isOld = ({ events: [first] }: DeferredPair): boolean => first!.enqueuedAt + GIVE_UP_MS <= sure;
    const givenUp = found.filter(isOld);
    const dropped = found.filter((pair) => !isOld(pair)).slice(0, Math.max(0, excess - givenUp.length));
    const over = [...givenUp, ...dropped];
    await this.#store.apply(over.map(({ key, events: [event, next] }) => ({ kind: 'over', key, event: event!, next })));
    for (const {
      key,
      events: [event],
    } of over) {
      this.#over(key);
      removed({ ...event!, key });
    }
    this.#dropped += dropped.length;
    this.#oldest = found[over.length]?.events[0]?.enqueuedAt;
    // There may be more of them.
    if (over.length > 0) this.#lookAt = -Infinity;
    return { givenUp: givenUp.length, dropped: dropped.length };
  }

  #now(): number {
    return steadyTime(this.#clock);
  }

  #isPruned(sure: number): boolean {
    const isOld = this.#oldest !== undefined && this.#oldest + GIVE_UP_MS <= sure;
    return isOld || this.#length > this.#max || this.#now() >= this.#lookAt;
  }

  #changeOf({ kind, event }: DeferredOutcome): DeferredChange {
    const { key, failures, at } = event;
    if (kind === 'failed') return { kind, key, failures, at: storedEnd(this.#clock, at) };
    const next = this.#next.get(key);
    return { kind, key, event, next: next && isSamePlace(next, event) ? undefined : next };
  }

  #over(key: string): void {
    this.#next.delete(key);
    this.#length = Math.max(0, this.#length - 1);
    // The next one of the pair is due.
    this.#dueAt = -Infinity;
  }
}
