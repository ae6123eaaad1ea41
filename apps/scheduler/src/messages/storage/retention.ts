import { collectionOf, removeLeases } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { JOINS, LINKS, MESSAGES, TRANSACTIONS } from '../message-log.ts';
import { transactionsModel, joinsModel, linksModel, messagesModel } from './messages.schema.ts';

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

/** Removes what is past its time: hidden messages after 7 days, others and links after 365, transactionIds long after they count. */
export async function removeExpired(db: Db, now: number): Promise<void> {
  const before = (ms: number): Date => new Date(now - ms);
  await Promise.all([
    collectionOf(db, messagesModel).deleteMany({ hidden: true, createdAt: { $lt: before(HIDDEN_KEPT_MS) } }),
    collectionOf(db, messagesModel).deleteMany({ hidden: false, createdAt: { $lt: before(KEPT_MS) } }),
    collectionOf(db, transactionsModel).deleteMany({ at: { $lt: before(TRANSACTIONS_KEPT_MS) } }),
    collectionOf(db, joinsModel).deleteMany({ at: { $lt: before(JOINS_KEPT_MS) } }),
    collectionOf(db, linksModel).deleteMany({ at: { $lt: before(KEPT_MS) } }),
    removeLeases(db, RESERVATIONS, before(TRANSACTIONS_KEPT_MS)),
  ]);
}
