import { type Clock, steadyTime, trustedTime } from '@tidings/kernel';
import { latestEnd, remainingMs, storedEnd } from '../stored-waits.ts';
import {
  type DeferredOutcome,
  GIVE_UP_MS,
  isSamePosition,
  type NewUnacked,
  type EventPosition,
  type Unacked,
} from '../unacked.ts';
import type { DeferredChange, DeferredEvent, DeferredPair, DeferredStore, DeferredSummary } from './deferred-store.ts';

export const MAX_DEFERRED = 100_000;
const PAGE = 100;
/** Limits a subscriber that refuses everything to 400 events a second. */
const PAUSE_MS = 2.5;
const REMOVED_AT_ONCE = 500;
const CHECK_INTERVAL_MS = 5_000;
const COUNT_EVERY_MS = 60_000;

const isAfter = (one: EventPosition, other: EventPosition): boolean =>
  one.n !== other.n ? one.n > other.n : one.e !== other.e ? one.e > other.e : one.d > other.d;

export interface Removed {
  readonly givenUp: number;
  readonly dropped: number;
}

export interface DeferredOptions {
  readonly dropped: number;
  readonly clock: Clock;
  readonly max?: number;
}

/** Events that failed three times, with later ones behind them (R-EV5). Memory does not depend on their number. */
export class DeferredEvents {
  readonly #store: DeferredStore;
  readonly #clock: Clock;
  readonly #max: number;
  readonly #next = new Map<string, DeferredEvent>();
  #length = 0;
  #dropped: number;
  #oldest: number | undefined;
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

  async open(): Promise<void> {
    this.#length = await this.#store.size();
    this.#countAt = this.#now() + COUNT_EVERY_MS;
  }

  returned(): void {
    this.#dueAt = -Infinity;
  }

  isDue(now: number): boolean {
    return this.#length > 0 && this.#dueAt <= now;
  }

  get pauseMs(): number {
    const pauseMs = this.#pausedUntil - this.#now();
    return pauseMs > 0 ? pauseMs : Infinity;
  }

  async lastOf(keys: readonly string[]): Promise<ReadonlyMap<string, EventPosition>> {
    return this.#length === 0 ? new Map() : this.#store.lastOf([...new Set(keys)]);
  }

  async add(events: readonly (NewUnacked | Unacked)[]): Promise<void> {
    if (events.length === 0) return;
    const pairs = Map.groupBy(events, ({ key }) => key);
    const last = await this.lastOf([...pairs.keys()]);
    const added = Array.from(pairs, ([key, ofPair]): DeferredPair => {
      const existing = last.get(key);
      const [first] = ofPair;
      const fresh = existing ? ofPair.filter((event) => isAfter(event, existing)) : ofPair;
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

  async take(now: number, limit: number, blockedKeys: ReadonlySet<string>): Promise<readonly NewUnacked[]> {
    if (limit <= 0 || !this.isDue(now) || this.#now() < this.#pausedUntil) return [];
    const count = Math.min(limit, PAGE);
    const found = await this.#store.soonest(count + blockedKeys.size + 1);
    const free = found.filter(({ key }) => !blockedKeys.has(key));
    const due = free.filter(({ at }) => remainingMs(this.#clock, at) === 0);
    const later = free.find((pair) => !due.includes(pair));
    if (due.length <= count) this.#dueAt = later ? this.#now() + remainingMs(this.#clock, later.at) : Infinity;
    return due.slice(0, count).map(({ key, events: [first, second], failures }) => {
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

  async prune(removed: (event: EventPosition & { readonly key: string }) => void): Promise<Removed> {
    const trustedNow = trustedTime(this.#clock);
    if (this.#length === 0 || !this.#isPruned(trustedNow)) return { givenUp: 0, dropped: 0 };
    this.#lookAt = this.#now() + CHECK_INTERVAL_MS;
    if (this.#now() >= this.#countAt) await this.open();
    if ((await this.#store.makeDue(latestEnd(this.#clock))) > 0) this.#dueAt = -Infinity;
    const excess = Math.max(0, this.#length - this.#max);
    const found = await this.#store.oldest(REMOVED_AT_ONCE);
    const isOld = ({ events: [first] }: DeferredPair): boolean => first!.enqueuedAt + GIVE_UP_MS <= trustedNow;
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
    if (over.length > 0) this.#lookAt = -Infinity;
    return { givenUp: givenUp.length, dropped: dropped.length };
  }

  #now(): number {
    return steadyTime(this.#clock);
  }

  #isPruned(trustedNow: number): boolean {
    const isOld = this.#oldest !== undefined && this.#oldest + GIVE_UP_MS <= trustedNow;
    return isOld || this.#length > this.#max || this.#now() >= this.#lookAt;
  }

  #changeOf({ kind, event }: DeferredOutcome): DeferredChange {
    const { key, failures, at } = event;
    if (kind === 'failed') return { kind, key, failures, at: storedEnd(this.#clock, at) };
    const next = this.#next.get(key);
    return { kind, key, event, next: next && isSamePosition(next, event) ? undefined : next };
  }

  #over(key: string): void {
    this.#next.delete(key);
    this.#length = Math.max(0, this.#length - 1);
    this.#dueAt = -Infinity;
  }
}
