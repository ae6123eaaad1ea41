export interface EncodedEvent {
  readonly uuid: string;
  readonly json: string;
}

export interface EventBatch {
  readonly events: readonly EncodedEvent[];
  readonly failures: number;
  readonly isPart?: boolean;
  readonly isDeferred?: boolean;
}

interface FailedBatch {
  readonly uuids: ReadonlySet<string>;
  readonly failures: number;
  readonly isPart: boolean;
}

interface OpenBatch extends EventBatch {
  readonly events: EncodedEvent[];
  readonly former: FailedBatch | undefined;
  readonly openedAt: number;
  lastAt: number;
  length: number;
}

export const MAX_EVENTS = 500;
const FILL_MS = 1_000;
const QUIET_MS = 50;
/** UTF-16 units: receivers bound bodies, too. */
const FULL_LENGTH = 1_000_000;

/** One of its events may be at fault. */
const DIVIDED_AFTER = 3;
const PARTS = 8;
const MAX_FORMER = 2_000;

const sizeOf = ({ former }: OpenBatch): number => former?.uuids.size ?? MAX_EVENTS;

const isFull = (batch: OpenBatch): boolean => batch.events.length >= sizeOf(batch) || batch.length >= FULL_LENGTH;

const completeAt = ({ openedAt, lastAt }: OpenBatch): number => Math.min(openedAt + FILL_MS, lastAt + QUIET_MS);

/** A failed batch is resent alike, so that the receiver recognizes it, and from the third time on in parts. */
export class EventBatches {
  readonly #open = new Set<OpenBatch>();
  readonly #former = new Map<string, FailedBatch>();

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

  take(now: number): EventBatch | undefined {
    for (const batch of this.#open) {
      if (!isFull(batch) && completeAt(batch) > now) continue;
      this.#open.delete(batch);
      if (batch.former) this.#forget(batch.former);
      return batch;
    }
    return undefined;
  }

  get dueAt(): number {
    let due = Infinity;
    for (const batch of this.#open) due = Math.min(due, isFull(batch) ? -Infinity : completeAt(batch));
    return due;
  }

  /** While nothing is acknowledged, dividing again would only multiply posts. */
  failed({ events, failures, isPart = false }: EventBatch, hasRecentAck: boolean): void {
    const uuids = events.map(({ uuid }) => uuid);
    const failed = failures + 1;
    const isDivided = failed >= DIVIDED_AFTER && uuids.length > 1 && (hasRecentAck || !isPart);
    const size = isDivided ? Math.ceil(uuids.length / PARTS) : uuids.length;
    for (let first = 0; first < uuids.length; first += size) {
      const part = new Set(uuids.slice(first, first + size));
      const former: FailedBatch = { uuids: part, failures: failed, isPart: isPart || isDivided };
      for (const uuid of former.uuids) this.#remember(uuid, former);
    }
  }

  forget(uuid: string): void {
    this.#former.delete(uuid);
  }

  #remember(uuid: string, former: FailedBatch): void {
    this.#former.delete(uuid);
    this.#former.set(uuid, former);
    if (this.#former.size > MAX_FORMER) this.#former.delete(this.#former.keys().next().value!);
  }

  #forget(former: FailedBatch): void {
    for (const uuid of former.uuids) if (this.#former.get(uuid) === former) this.#former.delete(uuid);
  }
}
