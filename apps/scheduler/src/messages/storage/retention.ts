/** Retention of transactionIds: much longer than they have an effect. */
export const TRANSACTIONS_KEPT_MS = 3_600_000;

/** Prefix of the leases that reserve transactionIds. */
export const RESERVATIONS = 'transaction/';

/** Retention of joins: longer than the records of their visits can be redelivered, including dead letters. */
export const JOINS_KEPT_MS = 31 * 86_400_000;
