import { removeLeases } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { JOINS, LINKS, MESSAGES, TRANSACTIONS } from './message-log.ts';

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

/** Name of the index of released messages that are not done. */
export const UNFINISHED = 'unfinished';

/** Visits that made recipients join are remembered for longer than their records can be delivered again, dead letters included. */
export const JOINS_KEPT_MS = 31 * DAY_MS;

/** Name of the index of messages that recipients join, and that are not done. */
export const OPEN = 'open';

/** Indexes for messages:list, for what is removed by age, and for what is not done. None holds text of callers. */
export async function ensureIndexes(db: Db): Promise<void> {
  await db.collection(MESSAGES).createIndexes([
    { name: 'list', key: { account: 1, apps: 1, createdAt: -1, id: -1 } },
    { name: 'ids', key: { id: 1 } },
    { name: 'age', key: { hidden: 1, createdAt: 1 } },
    { name: UNFINISHED, key: { releasedAt: 1 }, partialFilterExpression: { status: 'PROCESSING' } },
    {
      name: OPEN,
      key: { openUntil: 1 },
      partialFilterExpression: { status: 'PROCESSING', openUntil: { $exists: true } },
    },
  ]);
  await db.collection(JOINS).createIndex({ at: 1 });
  await db.collection(TRANSACTIONS).createIndex({ at: 1 });
  await db.collection(LINKS).createIndexes([
    { name: 'at_1', key: { at: 1 } },
    { name: 'message', key: { message: 1 } },
  ]);
}

/** Removes what is past its time: hidden messages after 7 days, others and links after 365, transactionIds long after they count. */
export async function removeExpired(db: Db, now: number): Promise<void> {
  const before = (ms: number): Date => new Date(now - ms);
  await Promise.all([
    db.collection(MESSAGES).deleteMany({ hidden: true, createdAt: { $lt: before(HIDDEN_KEPT_MS) } }),
    db.collection(MESSAGES).deleteMany({ hidden: false, createdAt: { $lt: before(KEPT_MS) } }),
    db.collection(TRANSACTIONS).deleteMany({ at: { $lt: before(TRANSACTIONS_KEPT_MS) } }),
    db.collection(JOINS).deleteMany({ at: { $lt: before(JOINS_KEPT_MS) } }),
    db.collection(LINKS).deleteMany({ at: { $lt: before(KEPT_MS) } }),
    removeLeases(db, RESERVATIONS, before(TRANSACTIONS_KEPT_MS)),
  ]);
}
