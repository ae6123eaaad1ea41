import { KEPT_MS } from '@tidings/messaging';
import { collectionOf, removeLeases } from '@tidings/mongo';
import type { Db } from 'mongodb';
import {
  activitiesModel,
  joinsModel,
  linksModel,
  messagesModel,
  transactionsModel,
} from './storage/messages.schema.ts';
import { JOINS_KEPT_MS, RESERVATIONS, TRANSACTIONS_KEPT_MS } from './storage/retention.ts';

export async function removeExpired(db: Db, now: number): Promise<void> {
  const before = (ms: number): Date => new Date(now - ms);
  await Promise.all([
    collectionOf(db, messagesModel).deleteMany({ expireAt: { $lt: new Date(now) } }),
    collectionOf(db, transactionsModel).deleteMany({ at: { $lt: before(TRANSACTIONS_KEPT_MS) } }),
    collectionOf(db, joinsModel).deleteMany({ at: { $lt: before(JOINS_KEPT_MS) } }),
    collectionOf(db, activitiesModel).deleteMany({ at: { $lt: before(KEPT_MS) } }),
    collectionOf(db, linksModel).deleteMany({ at: { $lt: before(KEPT_MS) } }),
    removeLeases(db, RESERVATIONS, before(TRANSACTIONS_KEPT_MS)),
  ]);
}
