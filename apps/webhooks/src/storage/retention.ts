const DAY_MS = 86_400_000;
/** Retention of messages and their places. */
export const KEPT_MS = 30 * DAY_MS;
/** Retention of processes after the end of their lease. */
export const FORGET_OWNERS_MS = DAY_MS;
