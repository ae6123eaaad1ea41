import { type DocumentAddress, fieldsOf, type LogDefinition } from '@tidings/event-store';
import { type SubscriptionSettings, WebhookEvent } from '@tidings/events';
import {
  evolveTold,
  nothingTold,
  type Place,
  releaseHeld,
  type Report,
  type SentDevices,
  tellReports,
  tellSent,
  type Told,
  type ToldChange,
} from './facts/told.ts';
import { placeOf, toldDocument, type ToldDocument, toldOf } from './facts/told-document.ts';
import {
  changeSubscription,
  deleteSubscription,
  evolveSubscription,
  type Subscription,
  type SubscriptionPatch,
} from './subscriptions/subscription.ts';

/** Collections of the states. */
export const SUBSCRIPTIONS = 'subscriptions';
export const TOLD = 'told';

/** What an operator does to a subscription. */
export type SubscriptionAction =
  | { readonly kind: 'create'; readonly settings: SubscriptionSettings }
  | { readonly kind: 'change'; readonly patch: SubscriptionPatch }
  | { readonly kind: 'delete' };

/** What became known of devices. */
type Fact =
  | { readonly kind: 'sent'; readonly sent: readonly SentDevices[] }
  | { readonly kind: 'reports'; readonly reports: readonly Report[] }
  /** @param isKnown whether there is such a message */
  | { readonly kind: 'release'; readonly isKnown: boolean };

export type WebhookCommand =
  | (SubscriptionAction & { readonly account: string; readonly id: string; readonly at: Date })
  | (Fact & { readonly place: Place; readonly at: Date });

interface ToldState {
  readonly kind: 'told';
  readonly place: Place;
  readonly told: Told;
  readonly changedAt: Date;
}

type State = ToldState | { readonly kind: 'subscription'; readonly subscription: Subscription | undefined };

/** An account has one log: what its subscriptions are told of stands in one order, behind what made them. */
export const webhooksLogOf = (account: string): string => `webhooks-${account}`;

const subscriptionAt = (id: string): DocumentAddress => ({ collection: SUBSCRIPTIONS, id });
const toldAt = ({
  message,
  application,
  chunk,
}: Pick<Place, 'message' | 'application' | 'chunk'>): DocumentAddress => ({
  collection: TOLD,
  id: `${message}/${application}/${chunk}`,
});

const addressOf = (command: WebhookCommand): DocumentAddress =>
  'place' in command ? toldAt(command.place) : subscriptionAt(command.id);

function decideAction(command: Extract<WebhookCommand, { readonly id: string }>, known: Subscription | undefined) {
  switch (command.kind) {
    case 'create':
      return [{ $case: 'created', value: { id: command.id, settings: command.settings } }] as const;
    case 'change':
      return changeSubscription(known, command.patch);
    case 'delete':
      return deleteSubscription(known);
  }
}

function decideFact(command: Extract<WebhookCommand, { readonly place: Place }>, told: Told) {
  const { place, at } = command;
  switch (command.kind) {
    case 'sent':
      return tellSent(place, told, command.sent, at);
    case 'reports':
      return tellReports(place, told, command.reports, at);
    case 'release':
      return releaseHeld(place, told, at, command.isKnown);
  }
}

/** A subscription as the collection holds it; one that was deleted keeps nothing but that. */
export interface SubscriptionDocument {
  readonly account?: string;
  readonly settings?: SubscriptionSettings;
  readonly createdAt?: Date;
  readonly since?: Date;
  readonly deleted?: true;
}

/** The subscription in a document; undefined for a deleted one. */
export function subscriptionOf({
  _id,
  ...stored
}: SubscriptionDocument & { readonly _id: string }): Subscription | undefined {
  const { account, settings, createdAt, since } = stored;
  return account && settings && createdAt && since ? { id: _id, account, settings, createdAt, since } : undefined;
}

const isToldChange = (change: WebhookEvent['event']): change is ToldChange =>
  change?.$case === 'raised' || change?.$case === 'held' || change?.$case === 'released';

function evolveToldState(state: ToldState | undefined, { account, at, event: change }: WebhookEvent): ToldState {
  if (!isToldChange(change)) throw new Error(`${TOLD}: no fold of ${change?.$case ?? 'an unknown event'}`);
  const { message, application, chunk } = change.value;
  const messageId = 'messageId' in change.value ? change.value.messageId : 0n;
  const place = state?.place ?? { account, message, messageId, application, chunk };
  return { kind: 'told', place, told: evolveTold(state?.told ?? nothingTold, change), changedAt: at! };
}

/** Subscriptions, and what happened to devices that they are told of (architecture 4). */
export const webhooksLog: LogDefinition<WebhookCommand, WebhookEvent, State, Subscription | undefined> = {
  category: 'webhooks',

  needs: (command) => ({ ids: [addressOf(command)] }),

  /** Replies with the subscription as it is then; undefined where there is none. */
  decide(command, view) {
    const state = view.get(addressOf(command));
    if ('place' in command) {
      const { account } = command.place;
      const changes = decideFact(command, state?.kind === 'told' ? state.told : nothingTold);
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
        return [subscriptionAt(event.value.id)];
      case 'raised':
      case 'held':
      case 'released':
        return [toldAt(event.value)];
      case undefined:
        return [];
    }
  },

  evolve(state, event, { collection }) {
    if (collection === TOLD) return evolveToldState(state?.kind === 'told' ? state : undefined, event);
    const known = state?.kind === 'subscription' ? state.subscription : undefined;
    return { kind: 'subscription', subscription: evolveSubscription(known, event) };
  },

  encode: (event) => WebhookEvent.encode(event).finish(),
  decode: (bytes) => WebhookEvent.decode(bytes),
  isKnown: ({ event }) => event !== undefined,

  toDocument(state) {
    if (state.kind === 'told') return { ...toldDocument(state.place, state.told, state.changedAt) };
    if (!state.subscription) return { deleted: true };
    const { account, settings, createdAt, since } = state.subscription;
    return { account, settings, createdAt, since };
  },

  fields: {
    [SUBSCRIPTIONS]: fieldsOf<SubscriptionDocument>({
      ...{ account: true, settings: true, createdAt: true, since: true, deleted: true },
    }),
    [TOLD]: fieldsOf<ToldDocument>({
      ...{ account: true, message: true, messageId: true, application: true, chunk: true },
      ...{ sent: true, delivered: true, opened: true, held: true, heldUntil: true, changedAt: true },
    }),
  },

  /** A subscription that was deleted keeps nothing but that. */
  clears: (state) => state.kind === 'subscription' && !state.subscription,

  fromDocument(document, { collection, id }) {
    if (collection === SUBSCRIPTIONS) {
      return { kind: 'subscription', subscription: subscriptionOf({ ...document, _id: id }) };
    }
    const stored = document as unknown as ToldDocument;
    return { kind: 'told', place: placeOf(stored), told: toldOf(stored), changedAt: stored.changedAt };
  },
};
