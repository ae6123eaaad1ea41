const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Retention of messages and their links (R-LM3, R-I19). */
export const KEPT_MS = 365 * DAY_MS;
/** Retention of hidden messages. */
export const HIDDEN_KEPT_MS = 7 * DAY_MS;
/** Retention of transactionIds: much longer than they have an effect. */
export const TRANSACTIONS_KEPT_MS = HOUR_MS;

/** Prefix of the leases that reserve transactionIds. */
export const RESERVATIONS = 'transaction/';

/** Retention of joins: longer than the records of their visits can be redelivered, including dead letters. */
export const JOINS_KEPT_MS = 31 * DAY_MS;
