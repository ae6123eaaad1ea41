import { inDays } from '@tidings/mongo';

const DAY_MS = 86_400_000;
/** How long a job is shown after its end (R-S3). */
export const KEPT_MS = 7 * DAY_MS;
/** What never became a job's, or outlived one: longer than any job takes. */
export const ORPHANS_KEPT_MS = 30 * DAY_MS;

/** Of what is kept of a job beside its state. */
export const withTheJob = `with the job; without one ${inDays(ORPHANS_KEPT_MS)}`;
