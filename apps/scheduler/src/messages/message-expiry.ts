import { collectionOf, removeLeases } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { joinsModel, linksModel, messagesModel, transactionsModel } from './storage/messages.schema.ts';
import { HIDDEN_KEPT_MS, JOINS_KEPT_MS, KEPT_MS, RESERVATIONS, TRANSACTIONS_KEPT_MS } from './storage/retention.ts';

/** Removes expired states: hidden messages after 7 days, other messages and links after 365, transactionIds long after their effect has ended. */
export async function removeExpired(db: Db, now: number): Promise<void> {
  const before = (ms: number): Date => new Date(now - ms);
  await Promise.all([
    collectionOf(db, messagesModel).deleteMany({ hidden: true, createdAt: { $lt: before(HIDDEN_KEPT_MS) } }),
    collectionOf(db, messagesModel).deleteMany({
      ...{ hidden: false, createdAt: { $lt: before(KEPT_MS) } },
      status: { $ne: 'PENDING' },
    }),
    collectionOf(db, transactionsModel).deleteMany({ at: { $lt: before(TRANSACTIONS_KEPT_MS) } }),
    collectionOf(db, joinsModel).deleteMany({ at: { $lt: before(JOINS_KEPT_MS) } }),
    collectionOf(db, linksModel).deleteMany({ at: { $lt: before(KEPT_MS) } }),
    removeLeases(db, RESERVATIONS, before(TRANSACTIONS_KEPT_MS)),
  ]);
}
