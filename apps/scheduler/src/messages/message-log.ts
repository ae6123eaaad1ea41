import { type DocumentAddress, fieldsOf, type LogDefinition, type StateView } from '@tidings/event-store';
import { type ActionLink, type MessageAccepted, MessageEvent } from '@tidings/events';
import { messageLogOf } from '@tidings/kernel';
import {
  cancelMessage,
  completeInActivity,
  completeMessage,
  createInActivity,
  type CreateInActivity,
  type Created,
  createMessage,
  type CreateMessage,
  evolveActivity,
  evolveMessage,
  joinMessage,
  type JoinMessage,
  type LiveActivity,
  type Message,
  purgeMessage,
  stopMessage,
  type StopMessage,
  type RefusedCreation,
  releaseMessage,
  releaseStep,
  type ReleaseStep,
  type Transaction,
} from '@tidings/messaging';
import { type ActivityDocument, activityDocument, activityOf } from './activity-document.ts';
import { type MessageDocument, messageDocument, messageOf } from './message-document.ts';

export const MESSAGES = 'messages';
export const TRANSACTIONS = 'transactions';
export const LINKS = 'links';
export const JOINS = 'joins';
export const ACTIVITIES = 'liveActivities';
export const PROGRESS = 'progress';

export const LOGS = 16;

export interface ShortLink {
  readonly url: string;
  readonly at: Date;
  readonly message: string;
}

export interface StoppedMessage {
  readonly status: Message['status'];
  readonly stoppedAt: Date | undefined;
}

export type MessageReply = Created | RefusedCreation | StoppedMessage | undefined;

export type MessageCommand =
  | { readonly kind: 'create'; readonly create: CreateMessage }
  | { readonly kind: 'createInActivity'; readonly create: CreateInActivity }
  | { readonly kind: 'join'; readonly join: JoinMessage }
  | { readonly kind: 'release'; readonly code: string; readonly at: Date; readonly inboxOrder: bigint }
  | { readonly kind: 'complete'; readonly code: string; readonly at: Date }
  | { readonly kind: 'step'; readonly step: ReleaseStep }
  | { readonly kind: 'cancel'; readonly code: string; readonly account: string; readonly at: Date }
  | { readonly kind: 'stop'; readonly stop: StopMessage; readonly code: string }
  | { readonly kind: 'purge'; readonly code: string; readonly application: string; readonly at: Date };

type State =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'transaction'; readonly transaction: Transaction }
  | { readonly kind: 'link'; readonly link: ShortLink }
  /** `_id` is the cause. */
  | { readonly kind: 'join'; readonly at: Date }
  | { readonly kind: 'activity'; readonly activity: LiveActivity };

/** A transactionId or a live activity determines the digit, so that one commit holds both. */
export const logOfMessage = (code: string): string => `messages-${messageLogOf(code)}`;

const messageAt = (code: string): DocumentAddress => ({ collection: MESSAGES, id: code });
const transactionAt = (key: string): DocumentAddress => ({ collection: TRANSACTIONS, id: key });
const joinAt = (cause: string): DocumentAddress => ({ collection: JOINS, id: cause });
const activityAt = (key: string): DocumentAddress => ({ collection: ACTIVITIES, id: key });
const linkAt = (code: string): DocumentAddress => ({ collection: LINKS, id: code });

function claimIn(view: StateView<State>, key: string): Transaction | undefined {
  const claim = key === '' ? undefined : view.get(transactionAt(key));
  return claim?.kind === 'transaction' ? claim.transaction : undefined;
}

function liveActivityIn(view: StateView<State>, key: string): LiveActivity | undefined {
  const state = view.get(activityAt(key));
  return state?.kind === 'activity' ? state.activity : undefined;
}

const completed = (
  message: Message | undefined,
  activityIn: (key: string) => LiveActivity | undefined,
  at: Date,
): readonly MessageEvent[] =>
  message?.activity ? completeInActivity(message, activityIn(message.activity), at) : completeMessage(message, at);

export const messagesLog: LogDefinition<MessageCommand, MessageEvent, State, MessageReply> = {
  category: 'messages',

  needs(command) {
    if (command.kind === 'join') return { ids: [messageAt(command.join.code), joinAt(command.join.cause)] };
    if (command.kind === 'step') return { ids: [messageAt(command.step.code)] };
    if (command.kind === 'createInActivity') {
      return { ids: [activityAt(command.create.activity)], created: [messageAt(command.create.code)] };
    }
    if (command.kind !== 'create') return { ids: [messageAt(command.code)] };
    const { code, draft } = command.create;
    return {
      ids: draft.transaction === '' ? [] : [transactionAt(draft.transaction)],
      created: [messageAt(code), ...linksOf(draft).map((link) => linkAt(link.code))],
    };
  },

  decide(command, view) {
    const messageIn = (code: string): Message | undefined => {
      const state = view.get(messageAt(code));
      return state?.kind === 'message' ? state.message : undefined;
    };
    const activityIn = (key: string): LiveActivity | undefined => liveActivityIn(view, key);
    switch (command.kind) {
      case 'createInActivity': {
        const { events, created } = createInActivity(command.create, activityIn(command.create.activity));
        return { events, reply: created };
      }
      case 'create': {
        const key = command.create.draft.transaction;
        const { events, created } = createMessage(command.create, claimIn(view, key));
        return { events, reply: created };
      }
      case 'join': {
        const { code, cause } = command.join;
        const hasJoined = view.get(joinAt(cause)) !== undefined;
        return { events: joinMessage(command.join, messageIn(code), hasJoined), reply: undefined };
      }
      case 'release':
        return { events: releaseMessage(messageIn(command.code), command.at, command.inboxOrder), reply: undefined };
      case 'step':
        return { events: releaseStep(messageIn(command.step.code), command.step), reply: undefined };
      case 'cancel':
        return { events: cancelMessage(messageIn(command.code), command.account, command.at), reply: undefined };
      case 'stop': {
        const message = messageIn(command.code);
        const events = stopMessage(message, command.stop);
        const { status, stoppedAt } = events.reduce<Message | undefined>(evolveMessage, message)!;
        return { events, reply: { status, stoppedAt } };
      }
      case 'complete':
        return { events: completed(messageIn(command.code), activityIn, command.at), reply: undefined };
      case 'purge':
        return {
          events: purgeMessage(messageIn(command.code), command.application, command.at),
          reply: undefined,
        };
    }
  },

  addresses(event) {
    const own = [messageAt(event.code), ...(event.activity === '' ? [] : [activityAt(event.activity)])];
    const accepted = acceptedIn(event);
    if (!accepted) return own;
    const { transaction } = accepted;
    return [
      ...own,
      ...(event.event?.$case === 'joined' ? [joinAt(event.event.value.cause)] : []),
      ...(transaction === '' ? [] : [transactionAt(transaction)]),
      ...linksOf(accepted).map(({ code }) => linkAt(code)),
    ];
  },

  evolve(state, event, address) {
    if (address.collection === MESSAGES) {
      return { kind: 'message', message: evolveMessage(state?.kind === 'message' ? state.message : undefined, event) };
    }
    if (address.collection === ACTIVITIES) {
      return {
        kind: 'activity',
        activity: evolveActivity(state?.kind === 'activity' ? state.activity : undefined, event),
      };
    }
    const accepted = acceptedIn(event);
    if (!accepted) throw new Error(`${address.collection}: cannot apply ${event.event?.$case}`);
    const at = event.at!;
    switch (address.collection) {
      case TRANSACTIONS:
        return { kind: 'transaction', transaction: { code: event.code, answer: accepted.answer, at } };
      case JOINS:
        return { kind: 'join', at };
      default:
        return {
          kind: 'link',
          link: { url: targetOf(accepted, address.id), at: accepted.sendAt ?? at, message: event.code },
        };
    }
  },

  encode: (event) => MessageEvent.encode(event).finish(),
  decode: (bytes) => MessageEvent.decode(bytes),
  isKnown: ({ event }) => event !== undefined,
  named: ({ code, activity }) => [messageAt(code), ...(activity === '' ? [] : [activityAt(activity)])],

  toDocument(state) {
    switch (state.kind) {
      case 'transaction':
        return { ...state.transaction };
      case 'link':
        return { ...state.link };
      case 'join':
        return { at: state.at };
      case 'activity':
        return activityDocument(state.activity);
      case 'message':
        return messageDocument(state.message);
    }
  },

  fields: {
    [MESSAGES]: fieldsOf<MessageDocument>({
      id: true,
      account: true,
      apps: true,
      createdAt: true,
      expireAt: true,
      status: true,
      sendAt: true,
      releasedAt: true,
      completedAt: true,
      platforms: true,
      source: true,
      campaignId: true,
      listed: true,
      hidden: true,
      accepted: true,
      openUntil: true,
      joined: true,
      failedAt: true,
      canceledAt: true,
      purgedAt: true,
      stoppedAt: true,
      stepAt: true,
      steps: true,
      activity: true,
    }),
    [TRANSACTIONS]: fieldsOf<Transaction>({ code: true, answer: true, at: true }),
    [LINKS]: fieldsOf<ShortLink>({ url: true, at: true, message: true }),
    [JOINS]: ['at'],
    [ACTIVITIES]: fieldsOf<ActivityDocument>({
      app: true,
      status: true,
      startedAt: true,
      at: true,
      timestamp: true,
      sending: true,
      waiting: true,
    }),
  },

  clears: (state) => state.kind === 'message' && state.message.purgedAt !== undefined,

  fromDocument(document, address) {
    switch (address.collection) {
      case TRANSACTIONS:
        return { kind: 'transaction', transaction: document as unknown as Transaction };
      case LINKS:
        return { kind: 'link', link: document as unknown as ShortLink };
      case JOINS:
        return { kind: 'join', at: document['at'] as Date };
      case ACTIVITIES:
        return { kind: 'activity', activity: activityOf(document as unknown as ActivityDocument) };
      default:
        return { kind: 'message', message: messageOf(document as unknown as MessageDocument & { _id: string }) };
    }
  },
};

const linksOf = ({ shortLink, shortLinkTarget, actionLinks }: MessageAccepted): Omit<ActionLink, 'platform'>[] => [
  ...(shortLink === '' ? [] : [{ code: shortLink, target: shortLinkTarget }]),
  ...actionLinks,
];

const targetOf = (accepted: MessageAccepted, code: string): string =>
  linksOf(accepted).find((link) => link.code === code)?.target ?? '';

function acceptedIn({ event }: MessageEvent): MessageAccepted | undefined {
  switch (event?.$case) {
    case 'accepted':
      return event.value;
    case 'joined':
      return event.value.message;
    default:
      return undefined;
  }
}
