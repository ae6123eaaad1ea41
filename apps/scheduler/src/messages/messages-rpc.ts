import { type Clock, Fault } from '@tidings/kernel';
import type { LogWriter } from '@tidings/event-store';
import { KEPT_MS } from '@tidings/messaging';
import { modelOf } from '@tidings/mongo';
import type { Messages } from '@tidings/rpc';
import type { Db } from 'mongodb';
import { listMessages, type StoredMessage, viewOf } from './list.ts';
import { messageOf } from './message-document.ts';
import { logOfMessage, type MessageCommand, type MessageReply, type ShortLink } from './message-log.ts';
import { linksModel, messagesModel } from './storage/messages.schema.ts';

export interface MessagesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly writer: LogWriter<MessageCommand, MessageReply>;
  readonly nextId: () => number;
}

export function messagesRpc({ db, clock, writer, nextId }: MessagesDeps): Omit<Messages, 'accept'> {
  const messages = modelOf(db, messagesModel);
  const links = modelOf(db, linksModel);
  const visible = (of: { readonly _id: string; readonly account?: string }): Promise<StoredMessage | null> => {
    const shown = { expireAt: { $gt: new Date(clock.now()) }, purgedAt: { $exists: false } };
    return messages.findOne({ ...of, ...shown }).lean<StoredMessage | null>();
  };

  return {
    async cancel({ account, code }) {
      await writer.submit(logOfMessage(code), { kind: 'cancel', code, account, at: new Date(clock.now()) });
      return {};
    },

    async stop({ code }) {
      const found = await visible({ _id: code.toUpperCase() });
      if (!found) throw Fault.notFound('Message not found');
      const stop = { at: new Date(clock.now()), inboxOrder: BigInt(nextId()) };
      const reply = await writer.submit(logOfMessage(found._id), { kind: 'stop', code: found._id, stop });
      if (!reply || !('status' in reply)) throw Fault.bug(`${found._id}: a stop without a state`);
      return reply;
    },

    list: (request) => listMessages(messages, request, new Date(clock.now())),

    async find({ account, code }) {
      const stored = await visible({ _id: code.toUpperCase(), account });
      return { message: stored ? viewOf(messageOf(stored)) : undefined };
    },

    async followLink({ code }) {
      const link = await links.findOne({ _id: code }).lean<ShortLink | null>();
      return { url: link && link.at.getTime() > clock.now() - KEPT_MS ? link.url : '' };
    },
  };
}
