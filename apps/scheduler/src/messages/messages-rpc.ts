import { type KeyObject, randomInt } from 'node:crypto';
import { keyedId } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import { bucketOf, type Clock, Fault, newMessageCode } from '@tidings/kernel';
import { type Created, KEPT_MS, repeatOf, type Transaction } from '@tidings/messaging';
import { modelOf, reserve } from '@tidings/mongo';
import type { MessageDraft, Messages } from '@tidings/rpc';
import type { Db } from 'mongodb';
import { listMessages, type StoredMessage, viewOf } from './list.ts';
import { messageOf } from './message-document.ts';
import { LOGS, logOfMessage, type MessageCommand, type ShortLink } from './message-log.ts';
import { shortened, shortenedActions } from './short-link.ts';
import { activityOfDraft, checkActivities } from './activity-drafts.ts';
import { linksModel, messagesModel, transactionsModel } from './storage/messages.schema.ts';
import { RESERVATIONS } from './storage/retention.ts';

/** Length of a reservation: longer than a request of a caller takes. */
const RESERVED_MS = 15_000;

export interface MessagesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly writer: LogWriter<MessageCommand, Created | undefined>;
  readonly nextId: () => number;
  /** Key of the hashes of callers' transactionIds, and of their ids of live activities. */
  readonly transactionKey: KeyObject;
  /** The public URL, without a trailing slash. */
  readonly publicUrl: string;
}

/** `Messages` of tidings.rpc.v1. */
export function messagesRpc({ db, clock, writer, nextId, transactionKey, publicUrl }: MessagesDeps): Messages {
  const messages = modelOf(db, messagesModel);
  const links = modelOf(db, linksModel);
  const transactions = modelOf(db, transactionsModel);

  const transactionOf = (account: string, id: string): string => keyedId(transactionKey, account, id);

  const submit = async (code: string, command: MessageCommand): Promise<Created> => {
    const created = await writer.submit(logOfMessage(code), command);
    if (!created) throw Fault.bug('a creation without a reply');
    return created;
  };

  const inActivity = activityOfDraft(transactionKey);

  const create = async (account: string, draft: MessageDraft): Promise<Created> => {
    if (!draft.message) throw Fault.bug('draft without a message');
    const at = new Date(clock.now());
    const live = inActivity(account, draft);
    if (live) {
      const code = newMessageCode(bucketOf(live.activity, LOGS));
      return submit(code, { kind: 'createInActivity', create: { ...live, code, id: nextId(), account, at } });
    }
    const transaction = draft.transactionId === '' ? '' : transactionOf(account, draft.transactionId);
    const code = newMessageCode(transaction === '' ? randomInt(LOGS) : bucketOf(transaction, LOGS));
    const common = shortened({ ...draft.message, transaction }, draft.linkToShorten, publicUrl);
    const accepted = shortenedActions(common, draft.actionsToShorten, publicUrl);
    return submit(code, { kind: 'create', create: { code, id: nextId(), account, at, draft: accepted } });
  };

  /** In the order of `ids`. */
  const repeatsOf = async (ids: readonly string[]): Promise<Created[]> => {
    const stored = await transactions.find({ _id: { $in: [...ids] } }).lean<(Transaction & { _id: string })[]>();
    const found = new Map(stored.map((transaction) => [transaction._id, transaction]));
    const at = new Date(clock.now());
    return ids.map((id) => repeatOf(found.get(id), at) ?? { code: '', answer: '', repeat: false });
  };

  /** Whether the owner now holds all reservations. All requests reserve in the same order, so that no two wait for each other. */
  const reserveAll = async (ids: readonly string[], owner: string): Promise<boolean> => {
    for (const id of ids.toSorted()) {
      if (!(await reserve(db, `${RESERVATIONS}${id}`, { owner, clock, lengthMs: RESERVED_MS }))) return false;
    }
    return true;
  };

  return {
    // Drafts are submitted in order: of two equal transactionIds in one request the first creates, and the second is its repeat (R-I10).
    async create({ account, drafts }) {
      const live = drafts.flatMap((draft) => inActivity(account, draft) ?? []);
      await checkActivities(db, live, new Date(clock.now()));
      return { messages: await Promise.all(drafts.map((draft) => create(account, draft))) };
    },

    async findCreated({ account, transactionIds, reserveFor }) {
      const ids = transactionIds.map((id) => transactionOf(account, id));
      const found = await repeatsOf(ids);
      if (reserveFor === '') return { messages: found, reserved: false };
      const open = ids.filter((_, i) => !found[i]!.repeat);
      const reserved = await reserveAll(open, reserveFor);
      // An earlier holder of a reservation may have created its message since the first query.
      return { messages: reserved && open.length > 0 ? await repeatsOf(ids) : found, reserved };
    },

    async cancel({ account, code }) {
      await writer.submit(logOfMessage(code), { kind: 'cancel', code, account, at: new Date(clock.now()) });
      return {};
    },

    list: (request) => listMessages(messages, request, new Date(clock.now())),

    async find({ account, code }) {
      const shown = { expireAt: { $gt: new Date(clock.now()) }, purgedAt: { $exists: false } };
      const stored = await messages
        .findOne({ _id: code.toUpperCase(), account, ...shown })
        .lean<StoredMessage | null>();
      return { message: stored ? viewOf(messageOf(stored)) : undefined };
    },

    async followLink({ code }) {
      const link = await links.findOne({ _id: code }).lean<ShortLink | null>();
      return { url: link && link.at.getTime() > clock.now() - KEPT_MS ? link.url : '' };
    },
  };
}
