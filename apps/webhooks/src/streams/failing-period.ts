import { GIVE_UP_MS } from './unacked.ts';

export interface FailingPeriod {
  readonly since: number;
  readonly last: number;
}

/** A longer gap had no attempts. */
const GAP_MS = 24 * 3_600_000;

export const failedAgain = (period: FailingPeriod | undefined, now: number): FailingPeriod =>
  !period || now - period.last > GAP_MS ? { since: now, last: now } : { since: period.since, last: now };

/** Giving up follows the last failure by a wait and a timeout at most. */
const TOO_LONG_MS = GIVE_UP_MS - 120_000;

export const isTooLong = ({ since, last }: FailingPeriod): boolean => last - since >= TOO_LONG_MS;
