import type { Progress } from './attempt.ts';
import { retryDeadline, throttleDeadline, WAITS_FOR_MS } from './retries.ts';
import { type SendResult, localResults } from '@tidings/channels';

/** Instants are milliseconds since 1970. */
export type HeldBack =
  | { readonly by: 'throttle'; readonly until: number }
  | { readonly by: 'provider'; readonly until: number; readonly cause: SendResult }
  | { readonly by: 'turn'; readonly until: number };

export interface MessageTimes {
  readonly now: number;
  readonly releasedAt: number;
  readonly claimedAt: number;
  /** A clock that was set forward ends no device. @default 0 */
  readonly setForwardMs?: number;
  readonly ttlSeconds: number | undefined;
  readonly retryForMs?: number | undefined;
}

function endOf({ tries, firstTriedAt }: Progress, why: HeldBack, times: MessageTimes): number {
  const { now, releasedAt, claimedAt, ttlSeconds, retryForMs } = times;
  // A turn must not cost a device its only try, nor one with a short TTL.
  if (why.by === 'turn' && tries === 0) return claimedAt + WAITS_FOR_MS;
  if (why.by === 'throttle' && tries === 0) return throttleDeadline(releasedAt, ttlSeconds);
  return retryDeadline(releasedAt, firstTriedAt || now, ttlSeconds, retryForMs);
}

const resultOf = (why: HeldBack): SendResult => {
  switch (why.by) {
    case 'throttle':
      return localResults.throttled;
    case 'provider':
      return why.cause;
    case 'turn':
      return localResults.unreachable;
  }
};

const isLocal = ({ code }: SendResult): boolean => code === '0';

/** A refusal of the credential counts only for its attempt. */
const namedCauseOf = (why: HeldBack): SendResult | undefined =>
  why.by === 'provider' && isLocal(why.cause) && why.cause.name !== localResults.unreachable.name
    ? why.cause
    : undefined;

const lastOf = ({ tries, last }: Progress, why: HeldBack): SendResult | undefined =>
  last && tries > 0 ? last : (namedCauseOf(why) ?? last);

export type Wait =
  | { readonly result: SendResult }
  | { readonly result?: undefined; readonly progress: Progress; readonly until: number };

export function waitOf(progress: Progress, why: HeldBack, times: MessageTimes): Wait {
  const end = endOf(progress, why, times) + (times.setForwardMs ?? 0);
  const last = lastOf(progress, why);
  if (times.now >= end) return { result: last ?? resultOf(why) };
  const firstTriedAt = why.by === 'provider' ? progress.firstTriedAt || times.now : progress.firstTriedAt;
  return { progress: { ...progress, firstTriedAt, last }, until: Math.min(why.until, end) };
}
