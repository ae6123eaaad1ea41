import type { Progress } from './attempt.ts';
import { retryDeadline, throttleDeadline, WAITS_FOR_MS } from './retries.ts';
import { type SendResult, localResults } from '@tidings/channels';

/** The reason why a device is not written now. Instants are milliseconds since 1970. */
export type HeldBack =
  /** The credential of the device is throttled. */
  | { readonly by: 'throttle'; readonly until: number }
  /** There is no connection or no token, for this cause; that counts as the device's first try. */
  | { readonly by: 'provider'; readonly until: number; readonly cause: SendResult }
  /** Another credential has its turn, or the devices before it take longer than a run. */
  | { readonly by: 'turn'; readonly until: number };

/** The times that determine when a device ends. */
export interface MessageTimes {
  readonly now: number;
  /** Start of processing. */
  readonly releasedAt: number;
  /** Time of its slice's first claim or deferral. */
  readonly claimedAt: number;
  /** By how much the clock has been set forward lately: a step ends no device. @default 0 */
  readonly setForwardMs?: number;
  /** undefined = none, or unknown. */
  readonly ttlSeconds: number | undefined;
  /** Time for which the channel retries. @default an hour */
  readonly retryForMs?: number | undefined;
}

/** When a held-back device ends (R-P1). Devices without a try have only waited. */
function endOf({ tries, firstTriedAt }: Progress, why: HeldBack, times: MessageTimes): number {
  const { now, releasedAt, claimedAt, ttlSeconds, retryForMs } = times;
  // Waiting for a turn must not cost a device its only try, however many wait before it, nor one with a short TTL.
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

/** No answer to a push, but a fault on the way to the provider. */
const isLocal = ({ code }: SendResult): boolean => code === '0';

/**
 * The cause that a device keeps: the worker at its end may know none, because its own try has not failed yet. A refused credential is none, because that
 * counts for the attempt that met it.
 */
const namedCauseOf = (why: HeldBack): SendResult | undefined =>
  why.by === 'provider' && isLocal(why.cause) && why.cause.name !== localResults.unreachable.name
    ? why.cause
    : undefined;

/** The answer to a try, else the last fault on the way. */
const lastOf = ({ tries, last }: Progress, why: HeldBack): SendResult | undefined =>
  last && tries > 0 ? last : (namedCauseOf(why) ?? last);

/** The wait of a held-back device: a send result once its time is over, otherwise its progress and the latest time of its next try. */
export type Wait =
  | { readonly result: SendResult }
  | { readonly result?: undefined; readonly progress: Progress; readonly until: number };

/** Decides on a held-back device. */
export function waitOf(progress: Progress, why: HeldBack, times: MessageTimes): Wait {
  const end = endOf(progress, why, times) + (times.setForwardMs ?? 0);
  const last = lastOf(progress, why);
  if (times.now >= end) return { result: last ?? resultOf(why) };
  const firstTriedAt = why.by === 'provider' ? progress.firstTriedAt || times.now : progress.firstTriedAt;
  return { progress: { ...progress, firstTriedAt, last }, until: Math.min(why.until, end) };
}
