import { defineStates } from '@tidings/event-store';
import type { SubscriptionCampaign, SubscriptionSettings } from '@tidings/events';
import { HIDDEN_KEPT_MS } from '@tidings/messaging';
import {
  bytes,
  date,
  defineModel,
  flag,
  inDays,
  list,
  mixed,
  number,
  object,
  optional,
  type PresenceDocument,
  presenceFields,
  text,
} from '@tidings/mongo';
import type { Binary } from 'mongodb';
import type { DeliveryDocument, EntryDocument } from '../facts/delivery-document.ts';
import type { DeferredEvent, DeferredSummary } from '../streams/deferred/deferred-store.ts';
import type { FailingPeriod } from '../streams/failing-period.ts';
import type { Place } from '../streams/unacked.ts';
import type { DisabledSubscription } from '../subscriptions/subscription.ts';
import { type SubscriptionDocument, SUBSCRIPTIONS, DELIVERIES } from '../webhook-log.ts';
import { FORGET_OWNERS_MS, KEPT_MS } from './retention.ts';

/** Subscriptions, as applied by their logs. */
export const subscriptionsModel = defineStates<SubscriptionDocument>({
  name: SUBSCRIPTIONS,
  retention: 'until it is deleted',
  fields: {
    account: optional(text),
    settings: optional(
      object<SubscriptionSettings>({
        endpoint: text,
        events: list(text),
        applications: list(text),
        platforms: list(number),
        messageCodes: list(text),
        enabled: flag,
        campaigns: list(object<SubscriptionCampaign>({ code: text, id: text, _unknownFields: optional(mixed) })),
        _unknownFields: optional(mixed),
      }),
    ),
    createdAt: optional(date),
    since: optional(date),
    disabled: optional(object<DisabledSubscription>({ reason: text, at: date })),
    deleted: optional(flag),
  },
});

/** The delivery state of devices with subscribed events, as applied by their logs. */
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
  /** See `sendIdOf`. */
  readonly _id: string;
  readonly id: number;
  readonly account: string;
  readonly accepted: Binary | Uint8Array;
  readonly expireAt: Date;
}

/** The service's own copy of message contents: written natively, with every message and its facts. */
export const messagesModel = defineModel<MessageDocument>({
  name: 'messages',
  retention: `${inDays(KEPT_MS)} from the send date, hidden ones ${inDays(HIDDEN_KEPT_MS)}`,
  fields: { _id: text, id: number, account: text, accepted: bytes, expireAt: date },
  indexes: [{ name: 'expireAt', key: { expireAt: 1 } }],
});

export interface StreamDocument {
  readonly _id: string;
  readonly owner?: string;
  /** `since` of the subscription when the stream began. */
  readonly since: Date;
  readonly next: Place;
  readonly open: Binary | Uint8Array;
  /** Absent after an acknowledgement. */
  readonly failing?: FailingPeriod;
  /** Absent while no event was ever deferred. */
  readonly deferred?: DeferredSummary;
}

/** The acknowledged position of each subscription. */
export const streamsModel = defineModel<StreamDocument>({
  name: 'streams',
  retention: 'with the subscription',
  fields: {
    _id: text,
    owner: optional(text),
    since: date,
    next: object<Place>({ n: number, e: number, d: number }),
    open: bytes,
    failing: optional(object<FailingPeriod>({ since: number, last: number })),
    deferred: optional(object<DeferredSummary>({ length: number, oldest: optional(number), dropped: number })),
  },
});

export interface DeferredDocument {
  /** The subscription, when it began, and `key`. */
  readonly _id: string;
  readonly subscription: string;
  readonly since: number;
  /** The message, the application, and the number of the device. */
  readonly key: string;
  /** In order; empty for a moment before it is removed. */
  readonly events: readonly DeferredEvent[];
  /** Failed sends of the first event, and when it may be sent again. */
  readonly failures: number;
  readonly at: number;
  /** When the first event was enqueued, or earlier. */
  readonly oldest: number;
}

/** Events that left the window of their stream, by device and message: written natively, many at a time. */
export const deferredModel = defineModel<DeferredDocument>({
  name: 'deferredEvents',
  retention: 'until it is acknowledged, 3 days at most',
  fields: {
    _id: text,
    subscription: text,
    since: number,
    key: text,
    events: list(object<DeferredEvent>({ n: number, e: number, d: number, enqueuedAt: number })),
    failures: number,
    at: number,
    oldest: number,
  },
  indexes: [
    { name: 'at', key: { subscription: 1, since: 1, at: 1 } },
    { name: 'oldest', key: { subscription: 1, since: 1, oldest: 1 } },
    { name: 'key', key: { key: 1 } },
  ],
});

export interface SecretsDocument {
  /** The id of the subscription. */
  readonly _id: string;
  /** The encrypted secrets, the newest one first, and when each stops to sign; the newest one never does. */
  readonly sealed: readonly { readonly box: Binary | Uint8Array; readonly until?: Date }[];
  /** Counts changes, which are compare-and-set. */
  readonly version: number;
  readonly createdAt: Date;
}

/** The secrets that sign events. No event, list or reply after their creation has them, so they are no part of the log. */
export const secretsModel = defineModel<SecretsDocument>({
  name: 'secrets',
  retention: 'with the subscription',
  fields: {
    _id: text,
    sealed: list(object<SecretsDocument['sealed'][number]>({ box: bytes, until: optional(date) })),
    version: number,
    createdAt: date,
  },
});

/** The processes that may own streams. */
export const ownersModel = defineModel<PresenceDocument>({
  name: 'owners',
  retention: `${inDays(FORGET_OWNERS_MS)} from the end of the lease`,
  fields: presenceFields,
});
