const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** How long messages and their links are shown (R-LM3, R-I19). */
export const KEPT_MS = 365 * DAY_MS;
/** The same of hidden messages. */
export const HIDDEN_KEPT_MS = 7 * DAY_MS;
/** What a transactionId has made is remembered: long after it counts. */
export const TRANSACTIONS_KEPT_MS = HOUR_MS;

/** Names of the leases by which requests reserve transactionIds. */
export const RESERVATIONS = 'transaction/';

/** Visits that made recipients join are remembered for longer than their records can be delivered again, dead letters included. */
export const JOINS_KEPT_MS = 31 * DAY_MS;
