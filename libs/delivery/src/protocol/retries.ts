import type { RetrySchedule } from '@tidings/channels';

export const RETRY_WAITS_MS: readonly number[] = [1000, 5000, 30_000, 120_000, 600_000];

export const RETRY_FOR_MS = 3_600_000;

export const usualRetries: RetrySchedule = { waitsMs: RETRY_WAITS_MS, forMs: RETRY_FOR_MS };

export const WAITS_FOR_MS = 24 * 3_600_000;

export const RETRY_AFTER_MAX_MS = 900_000;

const JITTER = 0.2;

export const longestWaitMs = ({ waitsMs }: RetrySchedule = usualRetries): number =>
  Math.max(RETRY_AFTER_MAX_MS, (1 + JITTER) * Math.max(...waitsMs));

export interface Failure {
  readonly tries: number;
  readonly firstWaitMs: number;
  readonly retryAfterMs: number;
}

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

/** The hour counts from the first try: a paced message leaves all devices the same time. */
export const retryDeadline = (
  releasedAt: number,
  firstTriedAt: number,
  ttlSeconds: number | undefined,
  forMs: number = RETRY_FOR_MS,
): number => Math.min(firstTriedAt + forMs, endOf(releasedAt, ttlSeconds));

export const throttleDeadline = (releasedAt: number, ttlSeconds: number | undefined): number =>
  Math.min(ttlSeconds === undefined ? releasedAt + WAITS_FOR_MS : Infinity, endOf(releasedAt, ttlSeconds));

/** Other statuses than 429 and 503 have no `Retry-After` for the next request (R-P1). */
export function retryAfterMs(status: number, header: string | undefined, now: number): number {
  if (header === undefined || (status !== 429 && status !== 503)) return 0;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}
