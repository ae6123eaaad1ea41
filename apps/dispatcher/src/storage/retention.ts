/** Time for which a settled slice is remembered: as long as its record may be delivered again, with a margin. */
export const REMEMBER_MS = 48 * 3_600_000;

/** An attempt that is not settled after this time belongs to a removed message (R-LM3). */
export const GIVE_UP_MS = 30 * 24 * 3_600_000;

/** SMSCs report the end of a message within its validity, which is three days or less. */
export const KEPT_RECEIPTS_MS = 7 * 24 * 3_600_000;

/** Retention of leases after their end. */
export const FORGET_LEASES_MS = 24 * 3_600_000;

/** The values of sent pushes are kept as long as their events are offered to subscribers (R-EV5). */
export const KEEP_VALUES_MS = 72 * 3_600_000;
