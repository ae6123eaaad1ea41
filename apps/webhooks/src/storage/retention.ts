const DAY_MS = 86_400_000;
/** How long messages are known, and the places where something of them happened. */
export const KEPT_MS = 30 * DAY_MS;
/** The same of hidden messages. */
export const HIDDEN_KEPT_MS = 7 * DAY_MS;
/** Processes whose lease ended so long ago are removed. */
export const FORGET_OWNERS_MS = DAY_MS;
