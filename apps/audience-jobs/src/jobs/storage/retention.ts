import { inDays } from '@tidings/mongo';

const DAY_MS = 86_400_000;
export const KEPT_MS = 7 * DAY_MS;
/** From the first part to the acceptance of the job. */
export const ACCEPTED_WITHIN_MS = 3_600_000;
export const ORPHANS_KEPT_MS = 30 * DAY_MS;

export const withTheJob = `with the job; orphans ${inDays(ORPHANS_KEPT_MS)}`;
