/** Waits before the next tries of a retried error, in order; the last one repeats (R-P1). */
export const RETRY_WAITS_MS: readonly number[] = [1000, 5000, 30_000, 120_000, 600_000];

/** Retries end this long after a device's window was first claimed, or at the message's TTL if that is earlier (R-P1). */
export const RETRY_FOR_MS = 3_600_000;

const JITTER = 0.2;

export interface Failure {
  /** Tries that failed in a retried way, this one included: from 1. */
  readonly tries: number;
  readonly firstWaitMs: number;
  /** What the provider asked for, in milliseconds; it wins if it is longer. 0 = nothing. */
  readonly retryAfterMs: number;
}

/**
 * How long to wait before the next try, in milliseconds.
 * @param random 0 to 1; spreads the wait by 20 % to either side, but never below what the provider asked for
 */
export function retryWaitMs({ tries, firstWaitMs, retryAfterMs }: Failure, random: number): number {
  const scheduled = RETRY_WAITS_MS[Math.min(tries, RETRY_WAITS_MS.length) - 1]!;
  const wait = Math.max(scheduled, firstWaitMs) * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(wait, retryAfterMs));
}

/**
 * Until when a device may be tried again, in milliseconds since 1970. TTLs count from the processing start; the hour counts from the
 * window's first claim, so that a paced message leaves its last device as much time as its first.
 * @param ttlSeconds undefined = the message has none
 */
export function retryDeadline(releasedAt: number, claimedAt: number, ttlSeconds: number | undefined): number {
  const hour = claimedAt + RETRY_FOR_MS;
  return ttlSeconds === undefined ? hour : Math.min(hour, releasedAt + ttlSeconds * 1000);
}

const MONTH_MS = 30 * 24 * 3_600_000;

/** Milliseconds that a `Retry-After` header asks for: seconds or an HTTP date; 0 where it is absent or unreadable, a month at most. */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MONTH_MS);
}
