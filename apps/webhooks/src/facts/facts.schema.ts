import { defineStates } from '@tidings/event-store';
import { HIDDEN_KEPT_MS } from '@tidings/messaging';
import { bytes, date, defineModel, inDays, list, number, object, optional, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';
import { type DeliveryDocument, type EntryDocument, KEPT_MS } from './delivery-document.ts';
import { DELIVERIES } from '../webhook-log.ts';

export const deliveriesModel = defineStates<DeliveryDocument>({
  name: DELIVERIES,
  retention: inDays(KEPT_MS),
  fields: {
    account: text,
    message: text,
    messageId: number,
    application: text,
    chunk: number,
    sent: bytes,
    delivered: bytes,
    opened: bytes,
    inboxDelivered: optional(bytes),
    inboxRead: optional(bytes),
    inboxOpened: optional(bytes),
    inboxDeleted: optional(bytes),
    failed: optional(bytes),
    bounced: optional(bytes),
    mailOpened: optional(bytes),
    mailUnsubscribed: optional(bytes),
    mailComplained: optional(bytes),
    entries: optional(list(object<EntryDocument>({ order: number, removal: number, devices: bytes }))),
    pending: optional(bytes),
    pendingUntil: optional(date),
    changedAt: date,
  },
  indexes: [
    { name: 'pendingUntil', key: { pendingUntil: 1 }, sparse: true },
    { name: 'changedAt', key: { changedAt: 1 } },
  ],
});

export interface MessageDocument {
  readonly _id: string;
  readonly id: number;
  readonly account: string;
  readonly accepted: Binary | Uint8Array;
  readonly expireAt: Date;
}

export const messagesModel = defineModel<MessageDocument>({
  name: 'messages',
  retention: `${inDays(KEPT_MS)} from the send date, hidden ones ${inDays(HIDDEN_KEPT_MS)}`,
  fields: { _id: text, id: number, account: text, accepted: bytes, expireAt: date },
  indexes: [{ name: 'expireAt', key: { expireAt: 1 } }],
});
