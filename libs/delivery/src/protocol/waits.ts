import type { Progress } from './attempt.ts';
import { RETRY_FOR_MS, retryDeadline, throttleDeadline } from './retries.ts';
import { type SendResult, localResults } from '@tidings/channels';

/** Why a device is not written now. Instants are milliseconds since 1970. */
export type HeldBack =
  /** Its credential is throttled. */
  | { readonly by: 'throttle'; readonly until: number }
  /** No connection or no token could be had, for this cause; that counts as the device's first try. */
  | { readonly by: 'provider'; readonly until: number; readonly cause: SendResult }
  /** It was not its turn. */
  | { readonly by: 'turn'; readonly until: number };

/** What the end of a device's time depends on. */
export interface MessageTimes {
  readonly now: number;
  /** Processing start. */
  readonly releasedAt: number;
  /** When its slice was first claimed or deferred. */
  readonly claimedAt: number;
  /** undefined = the message has none, or it is not known. */
  readonly ttlSeconds: number | undefined;
}

/** When a device that is held back has waited long enough (R-P1). Devices that were never tried have only waited. */
function endOf({ tries, firstTriedAt }: Progress, why: HeldBack, times: MessageTimes): number {
  const { now, releasedAt, claimedAt, ttlSeconds } = times;
  // A turn that does not come must not cost a device with a short TTL its only try.
  if (why.by === 'turn') return claimedAt + RETRY_FOR_MS;
  if (why.by === 'throttle' && tries === 0) return throttleDeadline(releasedAt, ttlSeconds);
  return retryDeadline(releasedAt, firstTriedAt || now, ttlSeconds);
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

/** The wait of a device that is held back: a send result once its time is over, else its progress and the latest time of its next try. */
export type Wait =
  | { readonly result: SendResult }
  | { readonly result?: undefined; readonly progress: Progress; readonly until: number };

/** Decides over a device that is held back. */
export function waitOf(progress: Progress, why: HeldBack, times: MessageTimes): Wait {
  const end = endOf(progress, why, times);
  if (times.now >= end) return { result: progress.last ?? resultOf(why) };
  const firstTriedAt = why.by === 'provider' ? progress.firstTriedAt || times.now : progress.firstTriedAt;
  return { progress: { ...progress, firstTriedAt }, until: Math.min(why.until, end) };
}
