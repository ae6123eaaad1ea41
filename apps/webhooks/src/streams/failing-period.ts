import { GIVE_UP_MS } from './unacked.ts';

/** A time in which a subscriber did nothing but fail, in milliseconds since 1970. */
export interface FailingPeriod {
  readonly since: number;
  /** The latest failure. */
  readonly last: number;
}

/** Failures that are further apart than this belong to different periods: nobody has tried meanwhile. */
const GAP_MS = 24 * 3_600_000;

/** The period after another failure. */
export const failedAgain = (period: FailingPeriod | undefined, now: number): FailingPeriod =>
  !period || now - period.last > GAP_MS ? { since: now, last: now } : { since: period.since, last: now };

/** The last failure of an event before it is given up is at most a wait and a timeout earlier. */
const TOO_LONG_MS = GIVE_UP_MS - 120_000;

/** Whether a subscriber has failed for so long that its subscription is disabled: as long as an event is sent again. */
export const isTooLong = ({ since, last }: FailingPeriod): boolean => last - since >= TOO_LONG_MS;
