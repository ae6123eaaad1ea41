import type { Clock } from '@tidings/kernel';
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
}

export function messagesRpc({ db, clock, writer }: MessagesDeps): Omit<Messages, 'accept'> {
  const messages = modelOf(db, messagesModel);
  const links = modelOf(db, linksModel);

  return {
    async cancel({ account, code }) {
      await writer.submit(logOfMessage(code), { kind: 'cancel', code, account, at: new Date(clock.now()) });
      return {};
    },

    list: (request) => listMessages(messages, request, new Date(clock.now())),

    async find({ account, code }) {
      const visible = { expireAt: { $gt: new Date(clock.now()) }, purgedAt: { $exists: false } };
      const stored = await messages
        .findOne({ _id: code.toUpperCase(), account, ...visible })
        .lean<StoredMessage | null>();
      return { message: stored ? viewOf(messageOf(stored)) : undefined };
    },

    async followLink({ code }) {
      const link = await links.findOne({ _id: code }).lean<ShortLink | null>();
      return { url: link && link.at.getTime() > clock.now() - KEPT_MS ? link.url : '' };
    },
  };
}
