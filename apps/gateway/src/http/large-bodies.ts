import type { IncomingMessage } from 'node:http';
import { SMALL_BODY_BYTES } from '@tidings/contract';
import { Semaphore } from '@tidings/coordination';
import { type Admission, readBody, readLargeBody, maxBytesOf } from './body.ts';
import type { PendingRequest, PendingRequests } from '../limits/pending-requests.ts';

const WORK_MS_PER_MIB = 1_000;

export interface LargeBodiesOptions {
  readonly bytes: number;
  readonly parsedBytes: number;
}

export interface Reading {
  readonly limit: number;
  readonly deadlineMs: number;
  readonly pending: PendingRequest;
}

/** Admits the first 256 KiB of a body at once; the rest waits for room. */
export class LargeBodies {
  readonly #holding: Semaphore;
  readonly #parsing: Semaphore;
  readonly #requests: Pick<PendingRequests, 'hold'>;

  constructor(requests: Pick<PendingRequests, 'hold'>, { bytes, parsedBytes }: LargeBodiesOptions) {
    this.#requests = requests;
    this.#holding = new Semaphore(bytes);
    this.#parsing = new Semaphore(parsedBytes);
  }

  async read(request: IncomingMessage, reading: Reading): Promise<Buffer> {
    const { limit, pending } = reading;
    pending.isArriving = true;
    if (maxBytesOf(request, limit) > SMALL_BODY_BYTES) return this.#readLarge(request, reading);
    const bytes = await readBody(request, limit);
    pending.isArriving = false;
    this.#requests.hold(pending, bytes.length);
    return bytes;
  }

  async #readLarge(request: IncomingMessage, { limit, deadlineMs, pending }: Reading): Promise<Buffer> {
    const grants: Promise<() => void>[] = [];
    pending.release = () => grants.forEach((grant) => void grant.then((release) => release()));
    const admission: Admission = {
      admit: () => {
        // The server itself ends requests that arrive too slowly.
        pending.deadline = Infinity;
        const grant = this.#holding.acquire(maxBytesOf(request, limit));
        grants.push(grant);
        return grant;
      },
      hasWaiting: () => this.#holding.hasWaiting,
    };
    const bytes = await readLargeBody(request, limit, admission);
    pending.isArriving = false;
    if (grants.length === 0) {
      this.#requests.hold(pending, bytes.length);
      return bytes;
    }
    pending.deadline = performance.now() + deadlineMs + (bytes.length / 2 ** 20) * WORK_MS_PER_MIB;
    const grant = this.#parsing.acquire(bytes.length);
    grants.push(grant);
    await grant;
    return bytes;
  }
}
