/** Where an event stands in its account's log: number of the commit, index of the event in it, rank of the device. */
export interface Place {
  readonly n: number;
  readonly e: number;
  readonly d: number;
}

/** An event that was read and is not acknowledged. */
export interface Unacked extends Place {
  /** Names the device and the message, whose events keep their order. */
  readonly key: string;
  /** When it happened to be told of, milliseconds since 1970. */
  readonly raisedAt: number;
  readonly phase: 'ready' | 'sent';
  /** How often it was sent in vain. */
  readonly failures: number;
  /** `ready`: when it may be sent. `sent`: when its answer is late. */
  readonly at: number;
}

type Mutable = { -readonly [Key in keyof Unacked]: Unacked[Key] } & { uuid?: string };

/** Unacked events of a stream at most (R-EV5). */
export const MAX_UNACKED = 1000;
/** How long an event waits for its answer, and how long it is sent again at all (R-EV5). */
export const ANSWER_MS = 30_000;
export const GIVE_UP_MS = 72 * 3_600_000;
/** Commits are kept a little longer than events are sent again. */
export const COMMITS_KEPT_MS = GIVE_UP_MS + 3_600_000;
const LONGEST_WAIT_MS = 60_000;
/** Events on the wire of a new stream at most. An acknowledgement that was swift lets one more through, a slow one holds one back. */
const FIRST_FLIGHT = 100;
const SWIFT_MS = ANSWER_MS / 3;
const SLOW_MS = 2 * SWIFT_MS;

/** How long an event waits after it was sent in vain for the n-th time: 1, 2, 4 … 60 s (R-EV5). */
export const waitMs = (failures: number): number => Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (failures - 1));

/**
 * The events of a stream that were read and are not acknowledged, with when each is to be sent, and again. Of a device's events about one
 * message only the first is sent: the next waits until that is acknowledged, or given up. How many are on the wire at a time adapts to the
 * subscriber: who answers slowly gets no more than it answers in time, or every event would come to it again and again.
 */
export class UnackedEvents {
  /** In the order in which they were read. */
  readonly #events = new Set<Mutable>();
  /** Those of them that are not on the wire. */
  readonly #ready = new Set<Mutable>();
  /** The events of each device and message; the first is the one that may be sent. */
  readonly #queues = new Map<string, Mutable[]>();
  /** Events that were sent since the process began, until they are acknowledged. */
  readonly #byUuid = new Map<string, Mutable>();
  #inFlight = 0;
  #flight = FIRST_FLIGHT;
  #slowedAt = -Infinity;

  get size(): number {
    return this.#events.size;
  }

  /** How many more may be read; none while there is room for a few only and answers are to come: events are made many at a time. */
  get room(): number {
    const room = MAX_UNACKED - this.#events.size;
    return room < MAX_UNACKED / 2 && this.#inFlight > 0 ? 0 : room;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Takes an event that was read: now, or in an earlier life. */
  add(event: Omit<Unacked, 'phase'>): void {
    const added: Mutable = { ...event, phase: 'ready' };
    this.#events.add(added);
    this.#ready.add(added);
    const queue = this.#queues.get(event.key);
    if (queue) queue.push(added);
    else this.#queues.set(event.key, [added]);
  }

  /** Events to send now, as far as there is room on the wire; none while there is room for a few of many only, likewise. */
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

  /** Notes that an event was written to the stream. */
  sent(event: Unacked, uuid: string, now: number): void {
    const known = event as Mutable;
    this.#ready.delete(known);
    known.phase = 'sent';
    known.at = now + ANSWER_MS;
    known.uuid = uuid;
    this.#byUuid.set(uuid, known);
    this.#inFlight++;
  }

  /** Notes an answer, which may be late; undefined for one that is to nothing, or changes nothing. */
  answered(uuid: string, isAck: boolean, now: number): 'acked' | 'refused' | undefined {
    const event = this.#byUuid.get(uuid);
    if (!event) return undefined;
    if (isAck) {
      if (event.phase === 'sent') this.#adapt(now - (event.at - ANSWER_MS));
      this.drop(event);
      return 'acked';
    }
    if (event.phase !== 'sent') return undefined;
    this.#fail(event, now);
    return 'refused';
  }

  /** Takes an event out. */
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

  /** Lets time pass: returns how many answers did not come in time, and how many events are given up. */
  elapse(now: number): { readonly late: number; readonly givenUp: number } {
    let late = 0;
    let givenUp = 0;
    let isNews = false;
    for (const event of this.#events) {
      if (event.raisedAt + GIVE_UP_MS <= now) {
        this.drop(event);
        givenUp++;
      } else if (event.phase === 'sent' && event.at <= now) {
        isNews ||= event.at - ANSWER_MS >= this.#slowedAt;
        this.#fail(event, now);
        late++;
      }
    }
    if (isNews) this.#slowDown(now);
    return { late, givenUp };
  }

  /** The stream is gone, and every answer with it. Returns how many events were on it. */
  broke(now: number): number {
    const lost = this.#inFlight;
    for (const event of this.#events) if (event.phase === 'sent') this.#fail(event, now);
    this.#flight = FIRST_FLIGHT;
    return lost;
  }

  /** Whether any waits for an answer, or is to be sent by now. */
  isDue(now: number): boolean {
    return this.#inFlight > 0 || [...this.#ready].some((event) => this.#isDue(event, now));
  }

  /** All, in the order in which they were read. */
  all(): Iterable<Unacked> {
    return this.#events;
  }

  #adapt(answeredAfterMs: number): void {
    if (answeredAfterMs <= SWIFT_MS) this.#flight = Math.min(MAX_UNACKED, this.#flight + 1);
    else if (answeredAfterMs > SLOW_MS) this.#flight = Math.max(1, this.#flight - 1);
  }

  /** What was sent before says nothing of what is enough now. */
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
