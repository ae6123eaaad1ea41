import type { DocumentAddress, LogDefinition } from '@tidings/event-store';
import { MessageAccepted, MessageEvent } from '@tidings/events';
import { messageLogOf } from '@tidings/kernel';
import {
  completeMessage,
  type Created,
  createMessage,
  type CreateMessage,
  evolveMessage,
  type Message,
  type Transaction,
} from '@tidings/messaging';
import type { Binary } from 'mongodb';

/** Collections of the scheduler's states. */
export const MESSAGES = 'messages';
export const TRANSACTIONS = 'transactions';
export const LINKS = 'links';

/** A short link of the service and where it leads (R-I19). */
export interface ShortLink {
  readonly url: string;
  readonly at: Date;
}

export type MessageCommand =
  | { readonly kind: 'create'; readonly create: CreateMessage }
  /** Does nothing where there is a message of this code. */
  | { readonly kind: 'createOnce'; readonly create: CreateMessage }
  | { readonly kind: 'complete'; readonly code: string; readonly at: Date };

type State =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'transaction'; readonly transaction: Transaction }
  | { readonly kind: 'link'; readonly link: ShortLink };

/** The log of a message, by the first digit of its code; a transactionId chooses the digit, so that one commit holds both. */
export const logOfMessage = (code: string): string => `messages-${messageLogOf(code)}`;

const messageAt = (code: string): DocumentAddress => ({ collection: MESSAGES, id: code });
const transactionAt = (key: string): DocumentAddress => ({ collection: TRANSACTIONS, id: key });
const linkAt = (code: string): DocumentAddress => ({ collection: LINKS, id: code });

/** Messages, the transactionIds that made them and their short links, in 16 logs (architecture 4, sending 1). */
export const messagesLog: LogDefinition<MessageCommand, MessageEvent, State, Created | undefined> = {
  category: 'messages',

  needs(command) {
    if (command.kind === 'complete') return { ids: [messageAt(command.code)] };
    if (command.kind === 'createOnce') return { ids: [messageAt(command.create.code)] };
    const key = command.create.draft.transaction;
    return key === '' ? {} : { ids: [transactionAt(key)] };
  },

  decide(command, view) {
    if (command.kind === 'complete') {
      const state = view.get(messageAt(command.code));
      const message = state?.kind === 'message' ? state.message : undefined;
      return { events: completeMessage(message, command.at), reply: undefined };
    }
    if (command.kind === 'createOnce') {
      if (view.get(messageAt(command.create.code))) return { events: [], reply: undefined };
      const { events, created } = createMessage(command.create, undefined);
      return { events, reply: created };
    }
    const key = command.create.draft.transaction;
    const claim = key === '' ? undefined : view.get(transactionAt(key));
    const { events, created } = createMessage(
      command.create,
      claim?.kind === 'transaction' ? claim.transaction : undefined,
    );
    return { events, reply: created };
  },

  addresses(event) {
    if (event.event?.$case !== 'accepted') return [messageAt(event.code)];
    const { transaction, shortLink } = event.event.value;
    return [
      messageAt(event.code),
      ...(transaction === '' ? [] : [transactionAt(transaction)]),
      ...(shortLink === '' ? [] : [linkAt(shortLink)]),
    ];
  },

  evolve(state, event, address) {
    if (address.collection === MESSAGES) {
      return { kind: 'message', message: evolveMessage(state?.kind === 'message' ? state.message : undefined, event) };
    }
    if (event.event?.$case !== 'accepted') throw new Error(`${address.collection}: no fold of ${event.event?.$case}`);
    const { answer, shortLinkTarget } = event.event.value;
    return address.collection === TRANSACTIONS
      ? { kind: 'transaction', transaction: { code: event.code, answer, at: event.at! } }
      : { kind: 'link', link: { url: shortLinkTarget, at: event.at! } };
  },

  encode: (event) => MessageEvent.encode(event).finish(),
  decode: (bytes) => MessageEvent.decode(bytes),

  toDocument(state) {
    switch (state.kind) {
      case 'transaction':
        return { ...state.transaction };
      case 'link':
        return { ...state.link };
      case 'message':
        return messageDocument(state.message);
    }
  },

  fromDocument(document, address) {
    switch (address.collection) {
      case TRANSACTIONS:
        return { kind: 'transaction', transaction: document as unknown as Transaction };
      case LINKS:
        return { kind: 'link', link: document as unknown as ShortLink };
      default:
        return { kind: 'message', message: messageOf(document as unknown as MessageDocument & { _id: string }) };
    }
  },
};

/** A message as it is stored and listed: what messages:list filters on stands beside the accepted event. */
export interface MessageDocument {
  readonly id: number;
  readonly account: string;
  readonly apps: readonly string[];
  readonly createdAt: Date;
  readonly status: Message['status'];
  readonly releasedAt?: Date;
  readonly completedAt?: Date;
  readonly platforms: readonly number[];
  readonly source: string;
  readonly campaignId: number;
  readonly listed: boolean;
  readonly hidden: boolean;
  readonly accepted: Binary | Uint8Array;
}

function messageDocument(message: Message): Record<string, unknown> {
  const { accepted } = message;
  return {
    id: message.id,
    account: message.account,
    apps: accepted.applications,
    createdAt: message.createdAt,
    status: message.status,
    ...(message.status === 'PENDING' ? {} : { releasedAt: message.releasedAt }),
    ...(message.status === 'DONE' ? { completedAt: message.completedAt } : {}),
    platforms: accepted.audience?.platforms ?? [],
    source: accepted.source,
    campaignId: Number(accepted.campaignId),
    listed: accepted.listedRecipients,
    hidden: accepted.hidden,
    accepted: MessageAccepted.encode(accepted).finish(),
  } satisfies MessageDocument;
}

/** The message in a stored document. */
export function messageOf(document: MessageDocument & { readonly _id: string }): Message {
  const bytes =
    'buffer' in document.accepted && document.accepted.buffer instanceof Uint8Array
      ? document.accepted.buffer
      : document.accepted;
  const facts = {
    code: document._id,
    id: document.id,
    account: document.account,
    createdAt: document.createdAt,
    accepted: MessageAccepted.decode(bytes as Uint8Array),
  };
  switch (document.status) {
    case 'PENDING':
      return { ...facts, status: 'PENDING' };
    case 'PROCESSING':
      return { ...facts, status: 'PROCESSING', releasedAt: document.releasedAt! };
    case 'DONE':
      return { ...facts, status: 'DONE', releasedAt: document.releasedAt!, completedAt: document.completedAt! };
  }
}
