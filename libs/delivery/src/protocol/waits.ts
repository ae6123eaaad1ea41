import type { Progress } from './attempt.ts';
import { retryDeadline, throttleDeadline, WAITS_FOR_MS } from './retries.ts';
import { type SendResult, localResults } from '@tidings/channels';

/** Instants are milliseconds since 1970. */
export type WaitReason =
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

function endOf({ tries, firstTriedAt }: Progress, reason: WaitReason, times: MessageTimes): number {
  const { now, releasedAt, claimedAt, ttlSeconds, retryForMs } = times;
  // A turn must not cost a device its only try, nor one with a short TTL.
  if (reason.by === 'turn' && tries === 0) return claimedAt + WAITS_FOR_MS;
  if (reason.by === 'throttle' && tries === 0) return throttleDeadline(releasedAt, ttlSeconds);
  return retryDeadline(releasedAt, firstTriedAt || now, ttlSeconds, retryForMs);
}

const resultOf = (reason: WaitReason): SendResult => {
  switch (reason.by) {
    case 'throttle':
      return localResults.throttled;
    case 'provider':
      return reason.cause;
    case 'turn':
      return localResults.unreachable;
  }
};

const isLocal = ({ code }: SendResult): boolean => code === '0';

/** A refusal of the credential counts only for its attempt. */
const namedCauseOf = (reason: WaitReason): SendResult | undefined =>
  reason.by === 'provider' && isLocal(reason.cause) && reason.cause.name !== localResults.unreachable.name
    ? reason.cause
    : undefined;

const lastOf = ({ tries, last }: Progress, reason: WaitReason): SendResult | undefined =>
  last && tries > 0 ? last : (namedCauseOf(reason) ?? last);

export type Wait =
  | { readonly result: SendResult }
  | { readonly result?: undefined; readonly progress: Progress; readonly until: number };

export function waitOf(progress: Progress, reason: WaitReason, times: MessageTimes): Wait {
  const end = endOf(progress, reason, times) + (times.setForwardMs ?? 0);
  const last = lastOf(progress, reason);
  if (times.now >= end) return { result: last ?? resultOf(reason) };
  const firstTriedAt = reason.by === 'provider' ? progress.firstTriedAt || times.now : progress.firstTriedAt;
  return { progress: { ...progress, firstTriedAt, last }, until: Math.min(reason.until, end) };
}
