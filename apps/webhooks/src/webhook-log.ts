import { messageChunkKey } from '@tidings/delivery';
import { type DocumentAddress, fieldsOf, type LogDefinition } from '@tidings/event-store';
import { type SubscriptionSettings, WebhookEvent } from '@tidings/events';
import {
  evolveDelivery,
  noDeliveries,
  releasePending,
  type SentDevices,
  enqueueOutcome,
  enqueueReports,
  type DeliveryState,
} from './facts/delivery-state.ts';
import type { Report } from './facts/early-reports.ts';
import {
  type DeliveryChange,
  type DetailedReport,
  enqueueDetailed,
  type DeliveryUnit,
} from './facts/enqueued-events.ts';
import type { OutcomeDevices } from './facts/outcome-events.ts';
import { unitOfDocument, deliveryDocument, type DeliveryDocument, deliveryOf } from './facts/delivery-document.ts';
import {
  changeSubscription,
  deleteSubscription,
  disableSubscription,
  type DisabledSubscription,
  evolveSubscription,
  type Subscription,
  type SubscriptionPatch,
} from './subscriptions/subscription.ts';

export const SUBSCRIPTIONS = 'subscriptions';
export const DELIVERIES = 'deliveries';

export type SubscriptionAction =
  | { readonly kind: 'create'; readonly settings: SubscriptionSettings }
  | { readonly kind: 'change'; readonly patch: SubscriptionPatch }
  | { readonly kind: 'disable'; readonly reason: string }
  | { readonly kind: 'delete' };

type Fact =
  | { readonly kind: 'outcomes'; readonly sent: readonly SentDevices[]; readonly others: readonly OutcomeDevices[] }
  | { readonly kind: 'reports'; readonly reports: readonly Report[]; readonly inbox: readonly DetailedReport[] }
  | { readonly kind: 'release'; readonly isKnown: boolean };

export type WebhookCommand =
  | (SubscriptionAction & { readonly account: string; readonly id: string; readonly at: Date })
  | (Fact & { readonly unit: DeliveryUnit; readonly at: Date });

interface DeliveryEntry {
  readonly kind: 'delivery';
  readonly unit: DeliveryUnit;
  readonly delivery: DeliveryState;
  readonly changedAt: Date;
}

type State = DeliveryEntry | { readonly kind: 'subscription'; readonly subscription: Subscription | undefined };

/** Orders events after changes of their subscriptions. */
export const webhooksLogOf = (account: string): string => `webhooks-${account}`;

const subscriptionAt = (id: string): DocumentAddress => ({ collection: SUBSCRIPTIONS, id });
const deliveryAt = (unit: Pick<DeliveryUnit, 'message' | 'application' | 'chunk'>): DocumentAddress => ({
  collection: DELIVERIES,
  id: messageChunkKey(unit),
});

const addressOf = (command: WebhookCommand): DocumentAddress =>
  'unit' in command ? deliveryAt(command.unit) : subscriptionAt(command.id);

function decideAction(command: Extract<WebhookCommand, { readonly id: string }>, existing: Subscription | undefined) {
  switch (command.kind) {
    case 'create':
      return [{ $case: 'created', value: { id: command.id, settings: command.settings } }] as const;
    case 'change':
      return changeSubscription(existing, command.patch);
    case 'disable':
      return disableSubscription(existing, command.reason);
    case 'delete':
      return deleteSubscription(existing);
  }
}

function decideFact(command: Extract<WebhookCommand, { readonly unit: DeliveryUnit }>, delivery: DeliveryState) {
  const { unit, at } = command;
  switch (command.kind) {
    case 'outcomes':
      return enqueueOutcome(unit, delivery, command, at);
    case 'reports':
      return [
        ...enqueueReports(unit, delivery, command.reports, at),
        ...enqueueDetailed(unit, delivery.single, command.inbox),
      ];
    case 'release':
      return releasePending(unit, delivery, at, command.isKnown);
  }
}

export interface SubscriptionDocument {
  readonly account?: string;
  readonly settings?: SubscriptionSettings;
  readonly createdAt?: Date;
  readonly since?: Date;
  readonly disabled?: DisabledSubscription;
  readonly deleted?: true;
}

export function subscriptionOf({
  _id,
  ...stored
}: SubscriptionDocument & { readonly _id: string }): Subscription | undefined {
  const { account, settings, createdAt, since, disabled } = stored;
  if (!account || !settings || !createdAt || !since) return undefined;
  return { id: _id, account, settings, createdAt, since, ...(disabled && { disabled }) };
}

const isDeliveryChange = (change: WebhookEvent['event']): change is DeliveryChange =>
  change?.$case === 'enqueued' || change?.$case === 'pending' || change?.$case === 'released';

function evolveDeliveryEntry(
  state: DeliveryEntry | undefined,
  { account, at, event: change }: WebhookEvent,
): DeliveryEntry {
  if (!isDeliveryChange(change)) throw new Error(`${DELIVERIES}: cannot apply ${change?.$case ?? 'an unknown event'}`);
  const { message, application, chunk } = change.value;
  const messageId = 'messageId' in change.value ? change.value.messageId : 0n;
  const unit = state?.unit ?? { account, message, messageId, application, chunk };
  return { kind: 'delivery', unit, delivery: evolveDelivery(state?.delivery ?? noDeliveries, change), changedAt: at! };
}

export const webhooksLog: LogDefinition<WebhookCommand, WebhookEvent, State, Subscription | undefined> = {
  category: 'webhooks',

  needs: (command) => ({ ids: [addressOf(command)] }),

  decide(command, view) {
    const state = view.get(addressOf(command));
    if ('unit' in command) {
      const { account } = command.unit;
      const changes = decideFact(command, state?.kind === 'delivery' ? state.delivery : noDeliveries);
      return { events: changes.map((event) => ({ account, at: command.at, event })), reply: undefined };
    }
    const known = state?.kind === 'subscription' ? state.subscription : undefined;
    const { account, at } = command;
    const events = decideAction(command, known).map((event): WebhookEvent => ({ account, at, event }));
    const after = events.reduce(evolveSubscription, known);
    return { events, reply: command.kind === 'delete' ? known : after };
  },

  addresses({ event }) {
    switch (event?.$case) {
      case 'created':
      case 'changed':
      case 'deleted':
      case 'disabled':
        return [subscriptionAt(event.value.id)];
      case 'enqueued':
      case 'pending':
      case 'released':
        return [deliveryAt(event.value)];
      case undefined:
        return [];
    }
  },

  evolve(state, event, { collection }) {
    if (collection === DELIVERIES) return evolveDeliveryEntry(state?.kind === 'delivery' ? state : undefined, event);
    const known = state?.kind === 'subscription' ? state.subscription : undefined;
    return { kind: 'subscription', subscription: evolveSubscription(known, event) };
  },

  encode: (event) => WebhookEvent.encode(event).finish(),
  decode: (bytes) => WebhookEvent.decode(bytes),
  isKnown: ({ event }) => event !== undefined,

  toDocument(state) {
    if (state.kind === 'delivery') return { ...deliveryDocument(state.unit, state.delivery, state.changedAt) };
    if (!state.subscription) return { deleted: true };
    const { account, settings, createdAt, since, disabled } = state.subscription;
    return { account, settings, createdAt, since, ...(disabled && { disabled }) };
  },

  fields: {
    [SUBSCRIPTIONS]: fieldsOf<SubscriptionDocument>({
      account: true,
      settings: true,
      createdAt: true,
      since: true,
      disabled: true,
      deleted: true,
    }),
    [DELIVERIES]: fieldsOf<DeliveryDocument>({
      account: true,
      message: true,
      messageId: true,
      application: true,
      chunk: true,
      inboxDelivered: true,
      inboxRead: true,
      inboxOpened: true,
      inboxDeleted: true,
      failed: true,
      bounced: true,
      mailOpened: true,
      mailUnsubscribed: true,
      mailComplained: true,
      entries: true,
      sent: true,
      delivered: true,
      opened: true,
      pending: true,
      pendingUntil: true,
      changedAt: true,
    }),
  },

  clears: (state) => state.kind === 'subscription' && !state.subscription,

  fromDocument(document, { collection, id }) {
    if (collection === SUBSCRIPTIONS) {
      return { kind: 'subscription', subscription: subscriptionOf({ ...document, _id: id }) };
    }
    const stored = document as unknown as DeliveryDocument;
    return {
      kind: 'delivery',
      unit: unitOfDocument(stored),
      delivery: deliveryOf(stored),
      changedAt: stored.changedAt,
    };
  },
};
