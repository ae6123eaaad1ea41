import type { IncomingMessage } from 'node:http';
import { SMALL_BODY_BYTES } from '@tidings/contract';
import { Semaphore } from '@tidings/coordination';
import { type Admission, readBody, readLargeBody, weightOf } from './body.ts';
import type { PendingRequest, PendingRequests } from './pending-requests.ts';

/** Time for the work on each MiB of a large body, beside the usual. */
const WORK_MS_PER_MIB = 1_000;

export interface LargeBodiesOptions {
  /** Bytes of large bodies at a time, at least those of the largest. */
  readonly bytes: number;
  /** Bytes of those that are taken apart at a time, which takes several times their size. At least those of the largest. */
  readonly taken: number;
}

/** How a request's body is read. */
export interface Reading {
  readonly limit: number;
  readonly deadlineMs: number;
  readonly pending: PendingRequest;
}

/**
 * Reads bodies, and bounds the memory that they take, whoever sends them. Small ones, and the first 256 KiB of any, wait for nothing and are counted with
 * their requests; what is large is held from there until the work on it is done.
 */
export class LargeBodies {
  readonly #holding: Semaphore;
  readonly #taking: Semaphore;
  readonly #requests: Pick<PendingRequests, 'hold'>;

  constructor(requests: Pick<PendingRequests, 'hold'>, { bytes, taken }: LargeBodiesOptions) {
    this.#requests = requests;
    this.#holding = new Semaphore(bytes);
    this.#taking = new Semaphore(taken);
  }

  /**
   * Reads a body and does the work on it. Where the limit is more than usual, it may be packed by gzip.
   * @throws Fault `tooLarge` over the limit, `throttled` where a slow one is in the way of others, `unavailable` where there is no room.
   */
  take<T>(request: IncomingMessage, reading: Reading, work: (bytes: Buffer) => Promise<T>): Promise<T> {
    const { limit, pending } = reading;
    pending.isArriving = true;
    if (weightOf(request, limit) > SMALL_BODY_BYTES) return this.#takeLarge(request, reading, work);
    return readBody(request, limit).then((bytes) => {
      pending.isArriving = false;
      this.#requests.hold(pending, bytes.length);
      return work(bytes);
    });
  }

  async #takeLarge<T>(
    request: IncomingMessage,
    { limit, deadlineMs, pending }: Reading,
    work: (bytes: Buffer) => Promise<T>,
  ): Promise<T> {
    let turn: Promise<() => void> | undefined;
    const admission: Admission = {
      admit: () => {
        // The server itself ends what takes too long to arrive.
        pending.deadline = Infinity;
        return (turn = this.#holding.acquire(weightOf(request, limit)));
      },
      crowded: () => this.#holding.hasWaiting,
    };
    try {
      const bytes = await readLargeBody(request, limit, admission);
      pending.isArriving = false;
      if (!turn) {
        this.#requests.hold(pending, bytes.length);
        return await work(bytes);
      }
      pending.deadline = performance.now() + deadlineMs + (bytes.length / 2 ** 20) * WORK_MS_PER_MIB;
      return await this.#taking.run(() => work(bytes), bytes.length);
    } finally {
      // One that has not come yet passes.
      void turn?.then((end) => end());
    }
  }
}
