import { RecentEntries } from '@tidings/kernel';

/** Position of an event in its account's log: number of the commit, index of the event in it, rank of the device. */
export interface Place {
  readonly n: number;
  readonly e: number;
  readonly d: number;
}

/** An event that is read but not acknowledged. */
export interface Unacked extends Place {
  /** Identifies the device and the message, whose events stay in order. */
  readonly key: string;
  /** When the event was enqueued, in milliseconds since 1970. */
  readonly enqueuedAt: number;
  readonly phase: 'ready' | 'sent';
  /** Number of failed sends. */
  readonly failures: number;
  /** Number of failures that may be the event's own: refusals, and missing answers. */
  readonly strikes: number;
  /** `ready`: when it may be sent. `sent`: when its answer becomes late. By the steady time, like all times of calls. */
  readonly at: number;
  /** Whether it is one of the deferred events, which take no place of the window. */
  readonly isDeferred: boolean;
}

export type NewUnacked = Omit<Unacked, 'phase' | 'strikes' | 'isDeferred'> & { readonly strikes?: number };

/**
 * How a send failed: with an answer about the event; with one about its whole post, or by a server that cannot be asked now; without an answer in time; or with
 * a lost connection.
 */
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

/** Maximum unacked events of a stream (R-EV5). */
export const MAX_UNACKED = 1000;
/** Timeout of an answer, and the time after which an event is given up (R-EV5). */
export const ANSWER_MS = 30_000;
export const GIVE_UP_MS = 72 * 3_600_000;
/** Retention of commits: a little longer than events are retried. */
export const COMMITS_KEPT_MS = GIVE_UP_MS + 3_600_000;
export const MAX_STRIKES = 3;
/** Events that leave a window whose subscriber acknowledges nothing, so that others are tried. */
export const MADE_ROOM = MAX_UNACKED / 10;
export const LONGEST_WAIT_MS = 60_000;
/** Initial limit of events in flight. A prompt acknowledgement raises the limit by one, a slow one lowers it. */
const FIRST_FLIGHT = 100;
const SWIFT_MS = ANSWER_MS / 3;
const SLOW_MS = 2 * SWIFT_MS;
/** Deferred events take at most this part of the limit in flight. */
const DEFERRED_SHARE = 1 / 4;
/** Deferred events whose late answer still counts. */
const lateAnswers = { atLeast: MAX_UNACKED, retentionMs: 10 * ANSWER_MS } as const;

/** Delay after the n-th failed send: 1, 2, 4 … 60 s (R-EV5). */
export const waitMs = (failures: number): number => Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (failures - 1));

/** Posts report the events that are late themselves: longer ones have waited for their post. */
const isTimedAlone = ({ answerMs }: Mutable): boolean => answerMs! <= ANSWER_MS;

const mayBeAtFault = ({ strikes, lastFailure }: Mutable): boolean =>
  strikes === MAX_STRIKES && (lastFailure === 'post-refused' || lastFailure === 'late');

export const isSamePlace = (one: Place, other: Place): boolean =>
  one.n === other.n && one.e === other.e && one.d === other.d;

/**
 * The unacked events of a stream, with the time of each send and resend. Of the events of one device and message only the first is sent: the next
 * waits until that one is acknowledged or given up. The number of events in flight adapts to the subscriber: a slow one gets no more than it answers
 * in time, as otherwise every event would be resent repeatedly. Events that fail alone leave for the deferred ones, and so do those that wait behind them.
 */
export class UnackedEvents {
  readonly #events = new Set<Mutable>();
  /** Events that are not in flight. */
  readonly #ready = new Set<Mutable>();
  /** The events of each device and message; only the first may be sent. */
  readonly #queues = new Map<string, Mutable[]>();
  /** Events that this process has sent, until they are acknowledged. */
  readonly #byUuid = new Map<string, Mutable>();
  readonly #leaving = new Set<Mutable>();
  /** Deferred events that are about to be sent, or in flight, by device and message. */
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

  /** How many more events may be read. 0 while little room is left and answers are outstanding, so that events are rendered in large batches. */
  get room(): number {
    const room = MAX_UNACKED - this.#events.size;
    return room < MAX_UNACKED / 2 && this.#inFlight > 0 ? 0 : room;
  }

  /** Whether an event has failed that is not acknowledged. */
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

  /** Adds an event that was read, or restored from stored progress. */
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

  /**
   * Events to send now, within the limit in flight. None of the window while little of a larger number would fit, so that batches stay large.
   * @param deferredRoom maximum of deferred events
   */
  sendable(now: number, deferredRoom = Infinity): readonly Unacked[] {
    const deferred = [...this.#deferred.values()].filter(({ phase }) => phase === 'ready').slice(0, deferredRoom);
    return [...deferred, ...this.#sendable(now)];
  }

  #sendable(now: number): readonly Unacked[] {
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

  /** Records that an event was written to the stream, whose answer is late after `answerMs`. */
  sent(event: Unacked, uuid: string, now: number, answerMs = ANSWER_MS): void {
    const known = event as Mutable;
    this.#ready.delete(known);
    known.phase = 'sent';
    known.sentAt = now;
    known.at = now + answerMs;
    known.answerMs = answerMs;
    known.uuid = uuid;
    this.#byUuid.set(uuid, known);
    if (known.isDeferred) this.#deferredInFlight++;
    else this.#inFlight++;
  }

  /** Records an acknowledgement, possibly a late one; false if it matches no event. */
  acked(uuid: string, now: number): boolean {
    const event = this.#byUuid.get(uuid) ?? this.#lateAnswers.get(uuid);
    if (!event) return false;
    this.#ackedAt = now;
    if (event.phase === 'sent') this.#adapt(now - event.sentAt!);
    this.#lateAnswers.delete(uuid);
    this.drop(event);
    return true;
  }

  /** Records failures of events in flight that have the same cause; returns how many of these are. */
  failed(uuids: readonly string[], how: Failure, now: number): number {
    const found = uuids.flatMap((uuid) => {
      const event = this.#byUuid.get(uuid);
      return event?.phase === 'sent' ? [event] : [];
    });
    const isAlone = uuids.length === 1;
    for (const event of found) this.#fail(event, now, how, isAlone);
    // Late deferred events say nothing about the speed of the subscriber.
    if (how === 'late' && found.some(({ isDeferred }) => !isDeferred)) this.#slowDown(now);
    return found.length;
  }

  unmade(event: Unacked, now: number): void {
    const known = event as Mutable;
    this.#ready.delete(known);
    if (known.isDeferred) this.#deferredInFlight++;
    else this.#inFlight++;
    known.phase = 'sent';
    known.sentAt = now;
    this.#fail(known, now, 'refused', true);
  }

  /** Removes an event: it is acknowledged, given up, or gone. */
  drop(event: Unacked): void {
    const known = event as Mutable;
    if (known.isDeferred) {
      const current = this.#deferred.get(known.key);
      if (current && isSamePlace(current, known)) this.#forget(current);
      this.#outcomes.push({ kind: 'over', event });
    } else this.#remove(known);
  }

  /** Removes a deferred event that was given up, or dropped. */
  withdraw({ key, ...place }: Place & { readonly key: string }): void {
    const event = this.#deferred.get(key);
    if (event && isSamePlace(event, place)) this.#forget(event);
  }

  /**
   * Advances time: returns how many answers became late, and how many events are given up.
   * @param sure the time at which events are given up, in milliseconds since 1970
   */
  elapse(now: number, sure: number): { readonly late: number; readonly givenUp: number } {
    let late = 0;
    let givenUp = 0;
    let isNews = false;
    for (const event of this.#events) {
      if (event.enqueuedAt + GIVE_UP_MS <= sure) {
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

  /** Records a broken stream, which loses all its answers. Returns how many events were in flight. */
  broke(now: number): number {
    const lost = this.inFlight;
    for (const event of this.#events) if (event.phase === 'sent') this.#fail(event, now, 'lost', true);
    for (const event of [...this.#deferred.values()]) {
      if (event.phase === 'sent') this.#fail(event, now, 'lost', true);
      else this.#forget(event);
    }
    this.#flight = FIRST_FLIGHT;
    return lost;
  }

  /** Whether any event awaits an answer or is due to be sent. */
  isDue(now: number): boolean {
    return this.#inFlight + this.#deferred.size > 0 || [...this.#ready].some((event) => this.#isDue(event, now));
  }

  /** All events of the window, in read order. */
  all(): Iterable<Unacked> {
    return this.#events;
  }

  /** The events that leave the window, each followed by those that wait behind it. */
  leaving(): readonly (readonly Unacked[])[] {
    return Array.from(this.#leaving, ({ key }) => [...this.#queues.get(key)!]);
  }

  /** Records that events have left for the deferred ones. Their late answers still count. */
  left(events: readonly Unacked[]): void {
    for (const event of events) {
      const known = event as Mutable;
      this.#remove(known);
      known.isDeferred = true;
      if (known.uuid !== undefined) this.#lateAnswers.set(known.uuid, known);
    }
  }

  /**
   * Lets the oldest events leave a full window in which every one has failed, though the subscriber acknowledges nothing: there may be others that it
   * acknowledges. Returns how many leave.
   */
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

  /** Halves the limit in flight. */
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

  /** @param isAlone whether the failure is of this event only, and not of a whole batch */
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
