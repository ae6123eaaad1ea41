import type { ReadEvent } from '../feed.ts';
import type { DeferredOutcome, NewUnacked, EventPosition, UnackedEvents } from '../unacked.ts';
import type { DeferredEvents, Removed } from './deferred-events.ts';

/** Further events wait in the log. */
const MAX_DEFERRED_WITHOUT_ACK = 10_000;

const isUpTo = (one: EventPosition, other: EventPosition): boolean =>
  one.n !== other.n ? one.n < other.n : one.e !== other.e ? one.e < other.e : one.d <= other.d;

/** A stream calls one method at a time, while answers may arrive. */
export class Deferral {
  readonly #unacked: UnackedEvents;
  readonly #deferred: DeferredEvents;
  #outcomes: DeferredOutcome[] = [];

  constructor(unacked: UnackedEvents, deferred: DeferredEvents) {
    this.#unacked = unacked;
    this.#deferred = deferred;
  }

  async restore(events: readonly NewUnacked[]): Promise<void> {
    await this.#deferred.open();
    const last = await this.#deferred.lastOf(events.map(({ key }) => key));
    const isKnown = ({ key, ...position }: NewUnacked): boolean => last.has(key) && isUpTo(position, last.get(key)!);
    await this.#sort(
      events.filter((event) => !isKnown(event)),
      last,
    );
  }

  async accept(events: readonly ReadEvent[]): Promise<number> {
    const fresh = events.map((event) => ({ ...event, failures: 0, at: 0 }));
    return this.#sort(fresh, await this.#deferred.lastOf(events.map(({ key }) => key)));
  }

  async take(now: number): Promise<void> {
    this.#collect();
    const blockedKeys = new Set([...this.#unacked.deferredKeys, ...this.#outcomes.map(({ event }) => event.key)]);
    const found = await this.#deferred.take(now, this.#unacked.deferredRoom, blockedKeys);
    for (const event of found) this.#unacked.addDeferred(event);
  }

  prune(): Promise<Removed> {
    return this.#deferred.prune((event) => this.#unacked.withdraw(event));
  }

  makeRoom(): number {
    return this.#deferred.length < MAX_DEFERRED_WITHOUT_ACK ? this.#unacked.makeRoom() : 0;
  }

  async flush(): Promise<number> {
    this.#collect();
    await this.#deferred.apply(this.#outcomes);
    this.#outcomes = [];
    const leaving = this.#unacked.leaving().flat();
    if (leaving.length === 0) return 0;
    await this.#deferred.add(leaving);
    // Late answers may have arrived in between.
    const answered = leaving.filter((event) => !this.#unacked.has(event));
    this.#unacked.markDeferred(leaving.filter((event) => this.#unacked.has(event)));
    this.#outcomes.push(...answered.map((event): DeferredOutcome => ({ kind: 'over', event })));
    await this.#deferred.apply(this.#outcomes);
    this.#outcomes = [];
    return leaving.length - answered.length;
  }

  async #sort(events: readonly NewUnacked[], last: ReadonlyMap<string, EventPosition>): Promise<number> {
    const behind = events.filter(({ key }) => last.has(key));
    await this.#deferred.add(behind);
    for (const event of events) if (!last.has(event.key)) this.#unacked.add(event);
    return behind.length;
  }

  #collect(): void {
    this.#outcomes.push(...this.#unacked.takeOutcomes());
  }
}
