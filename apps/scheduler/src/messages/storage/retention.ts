export const TRANSACTIONS_KEPT_MS = 3_600_000;

export const RESERVATIONS = 'transaction/';

/** Exceeds the time in which visits can be redelivered, even as dead letters. */
export const JOINS_KEPT_MS = 31 * 86_400_000;
