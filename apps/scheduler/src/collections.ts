import { collectionsOfLogs, commitsKept } from '@tidings/event-store';
import { inDays, type KeptCollection } from '@tidings/mongo';
import { deletionsKept } from '@tidings/service/deletions';
import { JOINS, LINKS, MESSAGES, PROGRESS, TRANSACTIONS } from './messages/message-log.ts';
import { HIDDEN_KEPT_MS, JOINS_KEPT_MS, KEPT_MS, TRANSACTIONS_KEPT_MS } from './messages/storage.ts';

/** The collections of the scheduler, each with its retention. */
export const collections: readonly KeptCollection[] = [
  ...collectionsOfLogs('messages', commitsKept.asFigures),
  { name: MESSAGES, kept: `${inDays(KEPT_MS)}, hidden ones ${inDays(HIDDEN_KEPT_MS)}` },
  { name: LINKS, kept: inDays(KEPT_MS) },
  { name: TRANSACTIONS, kept: inDays(TRANSACTIONS_KEPT_MS) },
  { name: JOINS, kept: inDays(JOINS_KEPT_MS) },
  { name: PROGRESS, kept: 'until the message is done' },
  { name: 'leases', kept: 'one for each relay and each number of a process; reserved transactionIds for an hour' },
  deletionsKept,
];
