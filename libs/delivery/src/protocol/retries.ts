import type { RetrySchedule } from '@tidings/channels';

/** Waits before the next tries of a retried error, in order; the last one repeats (R-P1). */
export const RETRY_WAITS_MS: readonly number[] = [1000, 5000, 30_000, 120_000, 600_000];

/** Retries end this long after a device's first try, or at the message's TTL if that is earlier (R-P1). */
export const RETRY_FOR_MS = 3_600_000;

/** The schedule of channels without one of their own. */
export const usualRetries: RetrySchedule = { waitsMs: RETRY_WAITS_MS, forMs: RETRY_FOR_MS };

/** A device that was never tried waits this long: behind a throttle from the release, without a TTL (R-P1), and for its turn from the slice's claim. */
export const WAITS_FOR_MS = 24 * 3_600_000;

/** Maximum of `Retry-After`: a longer wait counts as this one (R-P1). */
export const RETRY_AFTER_MAX_MS = 900_000;

const JITTER = 0.2;

/** The longest time from a try to the next one, in milliseconds. */
export const longestWaitMs = ({ waitsMs }: RetrySchedule = usualRetries): number =>
  Math.max(RETRY_AFTER_MAX_MS, (1 + JITTER) * Math.max(...waitsMs));

export interface Failure {
  /** Number of failed tries with a retry, including this one: from 1. */
  readonly tries: number;
  readonly firstWaitMs: number;
  /** The provider's `Retry-After` in milliseconds; it wins if it is longer. 0 = none. */
  readonly retryAfterMs: number;
}

/**
 * The wait before the next try, in milliseconds.
 * @param random 0 to 1; spreads the wait by 20 % to either side, but never below `Retry-After`
 * @param schedule @default {@link usualRetries}
 */
export function retryWaitMs(
  { tries, firstWaitMs, retryAfterMs }: Failure,
  random: number,
  { waitsMs }: RetrySchedule = usualRetries,
): number {
  const scheduled = waitsMs[Math.min(tries, waitsMs.length) - 1]!;
  const wait = Math.max(scheduled, firstWaitMs) * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(wait, retryAfterMs));
}

const endOf = (releasedAt: number, ttlSeconds: number | undefined): number =>
  ttlSeconds === undefined ? Infinity : releasedAt + ttlSeconds * 1000;

/**
 * Time until which a device may be tried again, in milliseconds since 1970. TTLs count from the start of processing; the hour counts from the device's
 * first try, so that a paced or throttled message leaves its last device as much time as its first.
 * @param ttlSeconds undefined = none
 * @param forMs the time of the schedule
 */
export const retryDeadline = (
  releasedAt: number,
  firstTriedAt: number,
  ttlSeconds: number | undefined,
  forMs: number = RETRY_FOR_MS,
): number => Math.min(firstTriedAt + forMs, endOf(releasedAt, ttlSeconds));

/** Time until which a device without a try waits behind a throttle, in milliseconds since 1970 (R-P1). */
export const throttleDeadline = (releasedAt: number, ttlSeconds: number | undefined): number =>
  Math.min(ttlSeconds === undefined ? releasedAt + WAITS_FOR_MS : Infinity, endOf(releasedAt, ttlSeconds));

/**
 * The value of an answer's `Retry-After` header in milliseconds: seconds or an HTTP date, at most 15 minutes; 0 if it is absent or unreadable, or the
 * status is neither 429 nor 503, where it does not apply to the next request (R-P1).
 */
export function retryAfterMs(status: number, header: string | undefined, now: number): number {
  if (header === undefined || (status !== 429 && status !== 503)) return 0;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}
