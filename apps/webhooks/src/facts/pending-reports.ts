import { idsBelow, messageApplicationKey } from '@tidings/delivery';
import type { LogWriter } from '@tidings/event-store';
import type { Clock } from '@tidings/kernel';
import { collectionOf, dueFilter } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { type WebhookCommand, webhooksLogOf } from '../webhook-log.ts';
import { deliveriesModel } from './facts.schema.ts';
import type { MessageStore } from './message-store.ts';
import { unitOfDocument } from './delivery-document.ts';
import { HOLD_MS } from './delivery-state.ts';

const AT_ONCE = 500;

export interface PendingReports {
  release(): Promise<void>;
  due(): Promise<number>;
  purge(shares: readonly { readonly message: string; readonly application: string }[]): Promise<void>;
  forget(before: Date): Promise<void>;
}

export function openPendingReports(
  db: Db,
  {
    clock,
    writer,
    messages,
  }: {
    readonly clock: Clock;
    readonly writer: Pick<LogWriter<WebhookCommand, unknown>, 'submit'>;
    readonly messages: Pick<MessageStore, 'find'>;
  },
): PendingReports {
  const deliveries = collectionOf(db, deliveriesModel);
  const dueNow = () => dueFilter('pendingUntil', clock.now(), HOLD_MS);
  const projection = { account: 1, message: 1, messageId: 1, application: 1, chunk: 1 } as const;

  return {
    async release() {
      const due = await deliveries.find(dueNow(), { projection, limit: AT_ONCE, hint: 'pendingUntil' }).toArray();
      if (due.length === 0) return;
      const found = await messages.find(new Set(due.map(({ message }) => message)));
      const at = new Date(clock.now());
      await Promise.all(
        due.map(async (document) => {
          const unit = unitOfDocument(document);
          const message = found.get(unit.message);
          const isKnown = message?.account === unit.account && message.accepted.applications.includes(unit.application);
          await writer.submit(webhooksLogOf(unit.account), { kind: 'release', unit, isKnown, at });
        }),
      );
    },
    due: () => deliveries.countDocuments(dueNow(), { limit: AT_ONCE, hint: 'pendingUntil' }),
    async purge(shares) {
      if (shares.length === 0) return;
      const places = shares.map((share) => idsBelow(messageApplicationKey(share)));
      const writes = places.map((_id) => ({ deleteMany: { filter: { _id } } }));
      await deliveries.bulkWrite(writes, { ordered: false });
    },
    async forget(before) {
      await deliveries.deleteMany({ changedAt: { $lt: before } });
    },
  };
}
