import { RecentEntries } from '@tidings/kernel';

/** Commit, index of the event in it, rank of the device. */
export interface EventPosition {
  readonly n: number;
  readonly e: number;
  readonly d: number;
}

export interface Unacked extends EventPosition {
  /** Device and message: their events stay in order. */
  readonly key: string;
  readonly enqueuedAt: number;
  readonly phase: 'ready' | 'sent';
  readonly failures: number;
  /** Failures that may be the event's own. */
  readonly strikes: number;
  /** `ready`: when it may be sent; `sent`: when its answer becomes late. Steady clock. */
  readonly at: number;
  readonly isDeferred: boolean;
}

export type NewUnacked = Omit<Unacked, 'phase' | 'strikes' | 'isDeferred'> & { readonly strikes?: number };

export type Failure = 'refused' | 'post-refused' | 'unavailable' | 'late' | 'broken';

export type DeferredOutcome =
  | { readonly kind: 'over'; readonly event: Unacked }
  | { readonly kind: 'failed'; readonly event: Unacked };

type Mutable = { -readonly [Key in keyof Unacked]: Unacked[Key] } & {
  uuid?: string;
  sentAt?: number;
  answerMs?: number;
  failedAt?: number;
  lastFailure?: Loss;
  isLeaving?: boolean;
};

/** A broken stream loses answers to events that it may have handled. */
type Loss = Failure | 'lost';

export const MAX_UNACKED = 1000;
export const ANSWER_MS = 30_000;
export const GIVE_UP_MS = 72 * 3_600_000;
export const COMMITS_KEPT_MS = GIVE_UP_MS + 3_600_000;
export const MAX_STRIKES = 3;
export const MADE_ROOM = MAX_UNACKED / 10;
export const LONGEST_WAIT_MS = 60_000;
/** Prompt acknowledgements raise it by one, slow ones halve it. */
const FIRST_FLIGHT = 100;
const SWIFT_MS = ANSWER_MS / 3;
const SLOW_MS = 2 * SWIFT_MS;
const DEFERRED_SHARE = 1 / 4;
const lateAnswers = { atLeast: MAX_UNACKED, retentionMs: 10 * ANSWER_MS } as const;

/** 1, 2, 4 … 60 s (R-EV5). */
export const waitMs = (failures: number): number => Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (failures - 1));

const isTimedAlone = ({ answerMs }: Mutable): boolean => answerMs! <= ANSWER_MS;

const mayBeAtFault = ({ strikes, lastFailure }: Mutable): boolean =>
  strikes === MAX_STRIKES && (lastFailure === 'post-refused' || lastFailure === 'late');

export const isSamePosition = (one: EventPosition, other: EventPosition): boolean =>
  one.n === other.n && one.e === other.e && one.d === other.d;

/** Per device and message one event is in flight. The limit in flight adapts to slow subscribers. */
export class UnackedEvents {
  readonly #events = new Set<Mutable>();
  readonly #ready = new Set<Mutable>();
  readonly #queues = new Map<string, Mutable[]>();
  readonly #byUuid = new Map<string, Mutable>();
  readonly #leaving = new Set<Mutable>();
  readonly #deferred = new Map<string, Mutable>();
  readonly #lateAnswers = new RecentEntries<Mutable>(lateAnswers);
  #outcomes: DeferredOutcome[] = [];
  #inFlight = 0;
  #deferredInFlight = 0;
  #flight = FIRST_FLIGHT;
  #slowedAt = -Infinity;
  #ackedAt = -Infinity;

  get size(): number {
    return this.#events.size;
  }

  /** 0 while little room is left: batches stay large. */
  get room(): number {
    const room = MAX_UNACKED - this.#events.size;
    return room < MAX_UNACKED / 2 && this.#inFlight > 0 ? 0 : room;
  }

  get hasFailures(): boolean {
    return [...this.#events].some(({ failures }) => failures > 0);
  }

  get inFlight(): number {
    return this.#inFlight + this.#deferredInFlight;
  }

  get deferredRoom(): number {
    return this.#deferredFlight - this.#deferred.size;
  }

  get deferredKeys(): ReadonlySet<string> {
    return new Set(this.#deferred.keys());
  }

  add(event: NewUnacked): void {
    const added: Mutable = { strikes: 0, ...event, phase: 'ready', isDeferred: false };
    this.#events.add(added);
    this.#ready.add(added);
    const queue = this.#queues.get(event.key);
    if (queue) queue.push(added);
    else this.#queues.set(event.key, [added]);
  }

  addDeferred(event: NewUnacked): void {
    const added: Mutable = { strikes: 0, ...event, phase: 'ready', isDeferred: true };
    this.#deferred.set(event.key, added);
  }

  dueEvents(now: number, deferredRoom = Infinity): readonly Unacked[] {
    const deferred = [...this.#deferred.values()].filter(({ phase }) => phase === 'ready').slice(0, deferredRoom);
    return [...deferred, ...this.#dueEvents(now)];
  }

  #dueEvents(now: number): readonly Unacked[] {
    const room = this.#windowFlight - this.#inFlight;
    if (room <= 0) return [];
    const due: Mutable[] = [];
    for (const event of this.#ready) {
      if (!this.#isDue(event, now)) continue;
      if (due.length === room) return room < this.#flight / 2 ? [] : due;
      due.push(event);
    }
    return due;
  }

  has(event: Unacked): boolean {
    return event.isDeferred ? this.#deferred.get(event.key) === event : this.#events.has(event);
  }

  sent(event: Unacked, uuid: string, now: number, answerMs = ANSWER_MS): void {
    const mutable = event as Mutable;
    this.#ready.delete(mutable);
    mutable.phase = 'sent';
    mutable.sentAt = now;
    mutable.at = now + answerMs;
    mutable.answerMs = answerMs;
    mutable.uuid = uuid;
    this.#byUuid.set(uuid, mutable);
    if (mutable.isDeferred) this.#deferredInFlight++;
    else this.#inFlight++;
  }

  acked(uuid: string, now: number): boolean {
    const event = this.#byUuid.get(uuid) ?? this.#lateAnswers.get(uuid);
    if (!event) return false;
    this.#ackedAt = now;
    if (event.phase === 'sent') this.#adapt(now - event.sentAt!);
    this.#lateAnswers.delete(uuid);
    this.drop(event);
    return true;
  }

  failed(uuids: readonly string[], how: Failure, now: number): number {
    const found = uuids.flatMap((uuid) => {
      const event = this.#byUuid.get(uuid);
      return event?.phase === 'sent' ? [event] : [];
    });
    const isAlone = uuids.length === 1;
    for (const event of found) this.#fail(event, now, how, isAlone);
    // Late deferred events say nothing about the subscriber's speed.
    if (how === 'late' && found.some(({ isDeferred }) => !isDeferred)) this.#slowDown(now);
    return found.length;
  }

  unmade(event: Unacked, now: number): void {
    const mutable = event as Mutable;
    this.#ready.delete(mutable);
    if (mutable.isDeferred) this.#deferredInFlight++;
    else this.#inFlight++;
    mutable.phase = 'sent';
    mutable.sentAt = now;
    this.#fail(mutable, now, 'refused', true);
  }

  drop(event: Unacked): void {
    const mutable = event as Mutable;
    if (mutable.isDeferred) {
      const current = this.#deferred.get(mutable.key);
      if (current && isSamePosition(current, mutable)) this.#forget(current);
      this.#outcomes.push({ kind: 'over', event });
    } else this.#remove(mutable);
  }

  withdraw({ key, ...position }: EventPosition & { readonly key: string }): void {
    const event = this.#deferred.get(key);
    if (event && isSamePosition(event, position)) this.#forget(event);
  }

  elapse(now: number, trustedNow: number): { readonly late: number; readonly givenUp: number } {
    let late = 0;
    let givenUp = 0;
    let isNews = false;
    for (const event of this.#events) {
      if (event.enqueuedAt + GIVE_UP_MS <= trustedNow) {
        this.drop(event);
        givenUp++;
      } else if (event.phase === 'sent' && event.at <= now) {
        isNews ||= event.sentAt! >= this.#slowedAt;
        this.#fail(event, now, 'late', isTimedAlone(event));
        late++;
      }
    }
    for (const event of [...this.#deferred.values()]) {
      if (event.phase !== 'sent' || event.at > now) continue;
      this.#fail(event, now, 'late', true);
      late++;
    }
    if (isNews) this.#slowDown(now);
    return { late, givenUp };
  }

  connectionLost(now: number): number {
    const lost = this.inFlight;
    for (const event of this.#events) if (event.phase === 'sent') this.#fail(event, now, 'lost', true);
    for (const event of [...this.#deferred.values()]) {
      if (event.phase === 'sent') this.#fail(event, now, 'lost', true);
      else this.#forget(event);
    }
    this.#flight = FIRST_FLIGHT;
    return lost;
  }

  isDue(now: number): boolean {
    return this.#inFlight + this.#deferred.size > 0 || [...this.#ready].some((event) => this.#isDue(event, now));
  }

  all(): Iterable<Unacked> {
    return this.#events;
  }

  leaving(): readonly (readonly Unacked[])[] {
    return Array.from(this.#leaving, ({ key }) => [...this.#queues.get(key)!]);
  }

  /** Their late answers still count. */
  markDeferred(events: readonly Unacked[]): void {
    for (const event of events) {
      const mutable = event as Mutable;
      this.#remove(mutable);
      mutable.isDeferred = true;
      if (mutable.uuid !== undefined) this.#lateAnswers.set(mutable.uuid, mutable);
    }
  }

  /** A subscriber may acknowledge events behind a window of failing ones. */
  makeRoom(): number {
    if (this.#events.size < MAX_UNACKED || this.#leaving.size > 0) return 0;
    const heads = Array.from(this.#queues.values(), ([head]) => head!);
    if (!heads.every(mayBeAtFault)) return 0;
    const ready = heads.filter(({ phase }) => phase === 'ready');
    for (const head of ready.slice(0, MADE_ROOM)) this.#leave(head);
    return this.#leaving.size;
  }

  takeOutcomes(): readonly DeferredOutcome[] {
    const outcomes = this.#outcomes;
    this.#outcomes = [];
    return outcomes;
  }

  get hasOutcomes(): boolean {
    return this.#outcomes.length > 0 || this.#leaving.size > 0;
  }

  get #deferredFlight(): number {
    return Math.max(1, Math.floor(this.#flight * DEFERRED_SHARE));
  }

  get #windowFlight(): number {
    return this.#deferred.size === 0 ? this.#flight : Math.max(1, this.#flight - this.#deferredFlight);
  }

  #remove(event: Mutable): void {
    if (!this.#events.delete(event)) return;
    this.#ready.delete(event);
    this.#leaving.delete(event);
    if (event.phase === 'sent') this.#inFlight--;
    if (event.uuid !== undefined) this.#byUuid.delete(event.uuid);
    const queue = this.#queues.get(event.key)!;
    queue.splice(queue.indexOf(event), 1);
    if (queue.length === 0) this.#queues.delete(event.key);
  }

  #forget(event: Mutable): void {
    this.#deferred.delete(event.key);
    if (event.phase === 'sent') this.#deferredInFlight--;
    if (event.uuid !== undefined) this.#byUuid.delete(event.uuid);
  }

  #adapt(answeredAfterMs: number): void {
    if (answeredAfterMs <= SWIFT_MS) this.#flight = Math.min(MAX_UNACKED, this.#flight + 1);
    else if (answeredAfterMs > SLOW_MS) this.#flight = Math.max(1, this.#flight - 1);
  }

  #slowDown(now: number): void {
    this.#flight = Math.max(1, Math.floor(this.#flight / 2));
    this.#slowedAt = now;
  }

  #isDue(event: Mutable, now: number): boolean {
    const head = this.#queues.get(event.key)![0]!;
    return event.at <= now && head === event && !event.isLeaving;
  }

  #leave(event: Mutable): void {
    event.isLeaving = true;
    this.#leaving.add(event);
  }

  #fail(event: Mutable, now: number, how: Loss, isAlone: boolean): void {
    if (event.isDeferred) this.#forget(event);
    else {
      this.#ready.add(event);
      this.#inFlight--;
    }
    const before = event.failedAt ?? event.sentAt!;
    event.phase = 'ready';
    event.failures++;
    event.failedAt = now;
    event.at = now + waitMs(event.failures);
    if (event.isDeferred) {
      if (event.uuid !== undefined) this.#lateAnswers.set(event.uuid, event);
      this.#outcomes.push({ kind: 'failed', event: { ...event } });
      return;
    }
    event.lastFailure = how;
    if (how === 'lost') return;
    event.strikes = Math.min(MAX_STRIKES, event.strikes + 1);
    const isItsOwn = how === 'refused' || (isAlone && this.#ackedAt >= before);
    if (event.strikes === MAX_STRIKES && isItsOwn) this.#leave(event);
  }
}
