/** An event in its encoded form. */
export interface EncodedEvent {
  readonly uuid: string;
  readonly json: string;
}

/** Events that are posted together. */
export interface EventBatch {
  readonly events: readonly EncodedEvent[];
  /** How often they have failed together. */
  readonly failures: number;
  /** Whether it is a part of a batch that was divided. @default false */
  readonly isPart?: boolean;
  /** @default false */
  readonly isDeferred?: boolean;
}

/** The events of a failed batch, or of a part of it, which are posted together again. */
interface Former {
  readonly uuids: ReadonlySet<string>;
  /** How often they have failed together. */
  readonly failures: number;
  readonly isPart: boolean;
}

interface OpenBatch extends EventBatch {
  readonly events: EncodedEvent[];
  readonly former: Former | undefined;
  readonly openedAt: number;
  lastAt: number;
  /** UTF-16 units of all events. */
  length: number;
}

/** Maximum events of a batch, and time for which it is filled (R-EV6). */
export const MAX_EVENTS = 500;
const FILL_MS = 1_000;
/** A batch that no event joins for this time is complete: waiting longer would only delay it. */
const QUIET_MS = 50;
/** A batch is full with this many UTF-16 units: receivers bound bodies, too. */
const FULL_LENGTH = 1_000_000;

/** A batch that has failed this often is divided, as one of its events may be at fault. */
const DIVIDED_AFTER = 3;
const PARTS = 8;
/** Maximum events that are remembered as failed: some never come again. */
const MAX_FORMER = 2_000;

const sizeOf = ({ former }: OpenBatch): number => former?.uuids.size ?? MAX_EVENTS;

const isFull = (batch: OpenBatch): boolean => batch.events.length >= sizeOf(batch) || batch.length >= FULL_LENGTH;

const completeAt = ({ openedAt, lastAt }: OpenBatch): number => Math.min(openedAt + FILL_MS, lastAt + QUIET_MS);

/**
 * Assembles batches from events. The events of a batch that failed as a whole form a batch of their own again when they are sent again together, so that the
 * receiver recognizes it; from the third time on in parts, so that one event does not hold back the others. Times are milliseconds of one clock.
 */
export class EventBatches {
  readonly #open = new Set<OpenBatch>();
  /** The former batch of each event of a failed one. */
  readonly #former = new Map<string, Former>();

  add(event: EncodedEvent, now: number): void {
    const former = this.#former.get(event.uuid);
    let batch = [...this.#open].find((open) => open.former === former && !isFull(open));
    if (!batch) {
      batch = {
        events: [],
        former,
        failures: former?.failures ?? 0,
        isPart: former?.isPart ?? false,
        openedAt: now,
        lastAt: now,
        length: 0,
      };
      this.#open.add(batch);
    }
    batch.events.push(event);
    batch.length += event.json.length;
    batch.lastAt = now;
  }

  /** Removes and returns a batch that is full, or filled for long enough; undefined if there is none. */
  take(now: number): EventBatch | undefined {
    for (const batch of this.#open) {
      if (!isFull(batch) && completeAt(batch) > now) continue;
      this.#open.delete(batch);
      if (batch.former) this.#forget(batch.former);
      return batch;
    }
    return undefined;
  }

  /** When the next batch is complete; Infinity if there is none. */
  get dueAt(): number {
    let due = Infinity;
    for (const batch of this.#open) due = Math.min(due, isFull(batch) ? -Infinity : completeAt(batch));
    return due;
  }

  /**
   * Remembers a batch that failed as a whole. While the receiver acknowledges nothing, a batch is divided once: more would only multiply posts.
   * @param isHeard whether the receiver acknowledges events
   */
  failed({ events, failures, isPart = false }: EventBatch, isHeard: boolean): void {
    const uuids = events.map(({ uuid }) => uuid);
    const failed = failures + 1;
    const isDivided = failed >= DIVIDED_AFTER && uuids.length > 1 && (isHeard || !isPart);
    const size = isDivided ? Math.ceil(uuids.length / PARTS) : uuids.length;
    for (let first = 0; first < uuids.length; first += size) {
      const part = new Set(uuids.slice(first, first + size));
      const former: Former = { uuids: part, failures: failed, isPart: isPart || isDivided };
      for (const uuid of former.uuids) this.#remember(uuid, former);
    }
  }

  /** Forgets that an event has failed with others. */
  forget(uuid: string): void {
    this.#former.delete(uuid);
  }

  #remember(uuid: string, former: Former): void {
    this.#former.delete(uuid);
    this.#former.set(uuid, former);
    if (this.#former.size > MAX_FORMER) this.#former.delete(this.#former.keys().next().value!);
  }

  #forget(former: Former): void {
    for (const uuid of former.uuids) if (this.#former.get(uuid) === former) this.#former.delete(uuid);
  }
}
