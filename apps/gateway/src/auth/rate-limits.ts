import { type Clock, Fault } from '@tidings/kernel';
import { TOO_MANY } from '../envelopes/reply.ts';
import type { Token } from './access.ts';

interface Bucket {
  /** Requests that may be made now; parts of one have grown back. */
  left: number;
  /** When that was so, in milliseconds since 1970. */
  at: number;
}

/** What the sum of many small parts may lack of a whole. */
const ROUNDING = 1e-6;

/**
 * Holds each token to its limit: a bucket of as many requests as it is granted, which fills again in the time that goes with it (R-LM2).
 * Of this gateway alone: several let through as many times as much.
 */
export class RateLimits {
  readonly #clock: Clock;
  /** By the ids of tokens; those without a limit have none. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request. @throws Fault `throttled` where there have been too many; that one does not count. */
  take({ id, rateLimit }: Pick<Token, 'id' | 'rateLimit'>): void {
    if (!rateLimit) return;
    const { requests, seconds } = rateLimit;
    const at = this.#clock.now();
    const bucket = this.#buckets.get(id) ?? { left: requests, at };
    const grown = (Math.max(0, at - bucket.at) * requests) / (seconds * 1000);
    bucket.left = Math.min(requests, bucket.left + grown);
    bucket.at = at;
    this.#buckets.set(id, bucket);
    if (bucket.left < 1 - ROUNDING) {
      const wait = Math.ceil(((1 - bucket.left) * seconds) / requests);
      throw Fault.throttled(TOO_MANY, Math.max(1, wait));
    }
    bucket.left -= 1;
  }
}
