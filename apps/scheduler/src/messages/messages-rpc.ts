import { type KeyObject, randomInt } from 'node:crypto';
import { keyedId } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import { bucketOf, type Clock, Fault, newMessageCode } from '@tidings/kernel';
import { type Created, repeatOf, type Transaction } from '@tidings/messaging';
import { modelOf } from '@tidings/mongo';
import type { MessageDraft, Messages } from '@tidings/rpc';
import type { Db } from 'mongodb';
import { listMessages, type StoredMessage, viewOf } from './list.ts';
import { LOGS, logOfMessage, type MessageCommand, messageOf, type ShortLink } from './message-log.ts';
import { shortened } from './short-link.ts';
import { linksModel, messagesModel, transactionsModel } from './storage/messages.schema.ts';
import { KEPT_MS } from './storage/retention.ts';

export interface MessagesParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly writer: LogWriter<MessageCommand, Created | undefined>;
  readonly nextId: () => number;
  /** Key of the identifiers that stand for callers' transactionIds. */
  readonly transactionKey: KeyObject;
  /** Without a slash at the end. */
  readonly publicUrl: string;
}

/** `Messages` of tidings.rpc.v1. */
export function messagesRpc({ db, clock, writer, nextId, transactionKey, publicUrl }: MessagesParts): Messages {
  const messages = modelOf(db, messagesModel);
  const links = modelOf(db, linksModel);
  const transactions = modelOf(db, transactionsModel);

  const transactionOf = (account: string, id: string): string => keyedId(transactionKey, account, id);

  /** What is older is past its time, whether it was removed yet or not (R-LM3). */
  const shownFrom = (): Date => new Date(clock.now() - KEPT_MS);

  const create = async (account: string, draft: MessageDraft): Promise<Created> => {
    if (!draft.message) throw Fault.bug('draft without a message');
    const transaction = draft.transactionId === '' ? '' : transactionOf(account, draft.transactionId);
    const code = newMessageCode(transaction === '' ? randomInt(LOGS) : bucketOf(transaction, LOGS));
    const accepted = shortened({ ...draft.message, transaction }, draft.linkToShorten, publicUrl);
    const command: MessageCommand = {
      kind: 'create',
      create: { code, id: nextId(), account, at: new Date(clock.now()), draft: accepted },
    };
    const created = await writer.submit(logOfMessage(code), command);
    if (!created) throw Fault.bug('no answer to a create');
    return created;
  };

  return {
    // Submitted in order, so that of two equal transactionIds in one request the first creates and the second is its repeat (R-I10).
    async create({ account, drafts }) {
      return { messages: await Promise.all(drafts.map((draft) => create(account, draft))) };
    },

    async findCreated({ account, transactionIds }) {
      const ids = transactionIds.map((id) => transactionOf(account, id));
      const stored = await transactions.find({ _id: { $in: ids } }).lean<(Transaction & { _id: string })[]>();
      const found = new Map(stored.map((transaction) => [transaction._id, transaction]));
      const at = new Date(clock.now());
      return { messages: ids.map((id) => repeatOf(found.get(id), at) ?? { code: '', answer: '', repeat: false }) };
    },

    list: (request) => listMessages(messages, request, shownFrom()),

    async find({ account, code }) {
      const shown = { createdAt: { $gte: shownFrom() }, purgedAt: { $exists: false } };
      const stored = await messages
        .findOne({ _id: code.toUpperCase(), account, ...shown })
        .lean<StoredMessage | null>();
      return { message: stored ? viewOf(messageOf(stored), true) : undefined };
    },

    async followLink({ code }) {
      const link = await links.findOne({ _id: code }).lean<ShortLink | null>();
      return { url: link && link.at > shownFrom() ? link.url : '' };
    },
  };
}
