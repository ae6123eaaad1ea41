import { inDays } from '@tidings/mongo';

const DAY_MS = 86_400_000;
/** Retention of a job after its end (R-S3). */
export const KEPT_MS = 7 * DAY_MS;
/** Longer than a request takes from its first part to the acceptance of its job. */
export const ACCEPTED_WITHIN_MS = 3_600_000;
/** Retention of data without a job: longer than any job takes. */
export const ORPHANS_KEPT_MS = 30 * DAY_MS;

/** Retention of a job's data outside its state. */
export const withTheJob = `with the job; orphans ${inDays(ORPHANS_KEPT_MS)}`;
