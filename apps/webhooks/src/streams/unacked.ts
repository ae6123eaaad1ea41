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
  /** `ready`: when it may be sent. `sent`: when its answer becomes late. */
  readonly at: number;
}

type Mutable = { -readonly [Key in keyof Unacked]: Unacked[Key] } & { uuid?: string; sentAt?: number };

/** Maximum unacked events of a stream (R-EV5). */
export const MAX_UNACKED = 1000;
/** Timeout of an answer, and the time after which an event is given up (R-EV5). */
export const ANSWER_MS = 30_000;
export const GIVE_UP_MS = 72 * 3_600_000;
/** Retention of commits: a little longer than events are retried. */
export const COMMITS_KEPT_MS = GIVE_UP_MS + 3_600_000;
const LONGEST_WAIT_MS = 60_000;
/** Initial limit of events in flight. A prompt acknowledgement raises the limit by one, a slow one lowers it. */
const FIRST_FLIGHT = 100;
const SWIFT_MS = ANSWER_MS / 3;
const SLOW_MS = 2 * SWIFT_MS;

/** Delay after the n-th failed send: 1, 2, 4 … 60 s (R-EV5). */
export const waitMs = (failures: number): number => Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (failures - 1));

/**
 * The unacked events of a stream, with the time of each send and resend. Of the events of one device and message only the first is sent: the next
 * waits until that one is acknowledged or given up. The number of events in flight adapts to the subscriber: a slow one gets no more than it answers
 * in time, as otherwise every event would be resent repeatedly.
 */
export class UnackedEvents {
  /** Events in the order in which they were read. */
  readonly #events = new Set<Mutable>();
  /** Events that are not in flight. */
  readonly #ready = new Set<Mutable>();
  /** The events of each device and message; only the first may be sent. */
  readonly #queues = new Map<string, Mutable[]>();
  /** Events that this process has sent, until they are acknowledged. */
  readonly #byUuid = new Map<string, Mutable>();
  #inFlight = 0;
  #flight = FIRST_FLIGHT;
  #slowedAt = -Infinity;

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
    return this.#inFlight;
  }

  /** Adds an event that was read, or restored from stored progress. */
  add(event: Omit<Unacked, 'phase'>): void {
    const added: Mutable = { ...event, phase: 'ready' };
    this.#events.add(added);
    this.#ready.add(added);
    const queue = this.#queues.get(event.key);
    if (queue) queue.push(added);
    else this.#queues.set(event.key, [added]);
  }

  /** Events to send now, within the limit in flight. Empty while little of a larger number would fit, so that batches stay large. */
  sendable(now: number): readonly Unacked[] {
    const room = this.#flight - this.#inFlight;
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
    return this.#events.has(event);
  }

  /** Records that an event was written to the stream, whose answer is late after `answerMs`. */
  sent(event: Unacked, uuid: string, now: number, answerMs = ANSWER_MS): void {
    const known = event as Mutable;
    this.#ready.delete(known);
    known.phase = 'sent';
    known.sentAt = now;
    known.at = now + answerMs;
    known.uuid = uuid;
    this.#byUuid.set(uuid, known);
    this.#inFlight++;
  }

  /** Records an acknowledgement, possibly a late one; false if it matches no event. */
  acked(uuid: string, now: number): boolean {
    const event = this.#byUuid.get(uuid);
    if (!event) return false;
    if (event.phase === 'sent') this.#adapt(now - event.sentAt!);
    this.drop(event);
    return true;
  }

  /** Records failures of events in flight; returns how many of these are. */
  failed(uuids: readonly string[], now: number): number {
    const found = uuids.map((uuid) => this.#byUuid.get(uuid)).filter((event) => event?.phase === 'sent');
    for (const event of found) this.#fail(event!, now);
    return found.length;
  }

  /** Likewise for events without an answer: the subscriber gets fewer at a time. */
  late(uuids: readonly string[], now: number): number {
    const count = this.failed(uuids, now);
    if (count > 0) this.#slowDown(now);
    return count;
  }

  /** Removes an event. */
  drop(event: Unacked): void {
    const known = event as Mutable;
    if (!this.#events.delete(known)) return;
    this.#ready.delete(known);
    if (known.phase === 'sent') this.#inFlight--;
    if (known.uuid !== undefined) this.#byUuid.delete(known.uuid);
    const queue = this.#queues.get(known.key)!;
    queue.splice(queue.indexOf(known), 1);
    if (queue.length === 0) this.#queues.delete(known.key);
  }

  /** Advances time: returns how many answers became late, and how many events are given up. */
  elapse(now: number): { readonly late: number; readonly givenUp: number } {
    let late = 0;
    let givenUp = 0;
    let isNews = false;
    for (const event of this.#events) {
      if (event.enqueuedAt + GIVE_UP_MS <= now) {
        this.drop(event);
        givenUp++;
      } else if (event.phase === 'sent' && event.at <= now) {
        isNews ||= event.sentAt! >= this.#slowedAt;
        this.#fail(event, now);
        late++;
      }
    }
    if (isNews) this.#slowDown(now);
    return { late, givenUp };
  }

  /** Records a broken stream, which loses all its answers. Returns how many events were in flight. */
  broke(now: number): number {
    const lost = this.#inFlight;
    for (const event of this.#events) if (event.phase === 'sent') this.#fail(event, now);
    this.#flight = FIRST_FLIGHT;
    return lost;
  }

  /** Whether any event awaits an answer or is due to be sent. */
  isDue(now: number): boolean {
    return this.#inFlight > 0 || [...this.#ready].some((event) => this.#isDue(event, now));
  }

  /** All events, in read order. */
  all(): Iterable<Unacked> {
    return this.#events;
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
    return event.at <= now && this.#queues.get(event.key)![0] === event;
  }

  #fail(event: Mutable, now: number): void {
    this.#ready.add(event);
    event.phase = 'ready';
    event.failures++;
    event.at = now + waitMs(event.failures);
    this.#inFlight--;
  }
}
