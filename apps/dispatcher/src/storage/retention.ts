/** How long a settled slice is remembered: as long as its record may be delivered again, with a margin. */
export const REMEMBER_MS = 48 * 3_600_000;

/** Nothing waits for so long: what is not settled by then is of a message that was removed meanwhile (R-LM3). */
export const GIVE_UP_MS = 30 * 24 * 3_600_000;

/** Leases that ended so long ago are removed. */
export const FORGET_LEASES_MS = 24 * 3_600_000;
