import type { MessageAccepted, MessageEvent } from '@tidings/events';

/** A message between acceptance and its last terminal state (R-S1). Messages with a send time ahead come with scheduling. */
export type Message =
  | (MessageFacts & { readonly status: 'PENDING' })
  | (MessageFacts & { readonly status: 'PROCESSING'; readonly releasedAt: Date })
  | (MessageFacts & { readonly status: 'DONE'; readonly releasedAt: Date; readonly completedAt: Date });

export interface MessageFacts {
  readonly code: string;
  readonly id: number;
  readonly account: string;
  readonly createdAt: Date;
  readonly accepted: MessageAccepted;
}

/** The claim of a transactionId: which message it made, and what a repeat answers (R-I10). */
export interface Transaction {
  readonly code: string;
  readonly answer: string;
  readonly at: Date;
}

/** How long a transactionId is remembered, from acceptance, not extended by repeats (R-I10). */
export const TRANSACTION_MS = 300_000;

/** The value of `Messages` for a message that is not stored in history (R-I6). */
export const CODE_NOT_AVAILABLE = 'CODE_NOT_AVAILABLE';

export interface CreateMessage {
  readonly code: string;
  readonly id: number;
  readonly account: string;
  readonly at: Date;
  /** Complete but for `answer`. */
  readonly draft: MessageAccepted;
}

export interface Created {
  readonly code: string;
  readonly answer: string;
  readonly repeat: boolean;
}

type MessageEventCase = NonNullable<MessageEvent['event']>;

const eventOf = (
  of: { code: string; id: number; account: string },
  at: Date,
  event: MessageEventCase,
): MessageEvent => ({
  stamp: undefined,
  code: of.code,
  id: BigInt(of.id),
  account: of.account,
  at,
  event,
});

/** Accepts and releases a message, unless its transactionId already made one: then the answer is that one's (R-I10). */
export function createMessage(
  command: CreateMessage,
  transaction: Transaction | undefined,
): { readonly events: readonly MessageEvent[]; readonly created: Created } {
  if (transaction && command.at.getTime() < transaction.at.getTime() + TRANSACTION_MS) {
    return { events: [], created: { code: transaction.code, answer: transaction.answer, repeat: true } };
  }
  const answer = command.draft.hidden ? CODE_NOT_AVAILABLE : command.code;
  return {
    events: [
      eventOf(command, command.at, { $case: 'accepted', value: { ...command.draft, answer } }),
      eventOf(command, command.at, { $case: 'released', value: {} }),
    ],
    created: { code: command.code, answer, repeat: false },
  };
}

/** Closes a message whose devices all have their terminal state; closing it again changes nothing. */
export const completeMessage = (message: Message | undefined, at: Date): readonly MessageEvent[] =>
  message?.status === 'PROCESSING' ? [eventOf(message, at, { $case: 'completed', value: {} })] : [];

export function evolveMessage(message: Message | undefined, event: MessageEvent): Message {
  const at = event.at!;
  if (event.event?.$case === 'accepted') {
    const accepted = event.event.value;
    return {
      status: 'PENDING',
      code: event.code,
      id: Number(event.id),
      account: event.account,
      createdAt: at,
      accepted,
    };
  }
  if (!message) throw new Error(`${event.code}: ${event.event?.$case ?? 'unknown event'} before accepted`);
  const { code, id, account, createdAt, accepted } = message;
  const facts = { code, id, account, createdAt, accepted };
  switch (event.event?.$case) {
    case 'released':
      return { ...facts, status: 'PROCESSING', releasedAt: at };
    case 'completed':
      return message.status === 'PENDING'
        ? message
        : { ...facts, status: 'DONE', releasedAt: message.releasedAt, completedAt: at };
    case undefined:
      return message;
  }
}
