import type { StoredState } from '@tidings/event-store';
import {
  AndroidContent,
  ChromeContent,
  Content,
  EmailContent,
  FirefoxContent,
  IosContent,
  MessageAccepted,
} from '@tidings/events';
import { type Message, shownParts } from '@tidings/messaging';
import { type ListMessagesReply, type ListMessagesRequest, MessageView } from '@tidings/rpc';
import type { FilterQuery, Model } from 'mongoose';
import { type MessageDocument, messageOf } from './message-document.ts';

export type StoredMessage = MessageDocument & { readonly _id: string };

const REPLY_BYTES = 8 << 20;
const AT_ONCE = 16;

function filterOf(request: ListMessagesRequest, now: Date): FilterQuery<StoredState<MessageDocument>> {
  const { createdFrom, createdBefore } = request;
  const created = { ...(createdFrom && { $gte: createdFrom }), ...(createdBefore && { $lt: createdBefore }) };
  return {
    account: request.account,
    apps: request.application,
    hidden: false,
    expireAt: { $gt: now },
    ...(createdFrom || createdBefore ? { createdAt: created } : {}),
    ...(request.platforms.length > 0 ? { platforms: { $in: request.platforms } } : {}),
    ...(request.campaignId === 0n ? {} : { campaignId: Number(request.campaignId) }),
    ...(request.source === '' ? {} : { source: request.source }),
    ...(request.codes.length > 0 ? { _id: { $in: request.codes } } : {}),
    ...(request.ids.length > 0 ? { id: { $in: request.ids.map(Number) } } : {}),
    ...(request.listedRecipients === undefined ? {} : { listed: request.listedRecipients }),
  };
}

/** Few messages at a time are held as stored: they may be large. */
export async function listMessages(
  messages: Model<StoredState<MessageDocument>>,
  request: ListMessagesRequest,
  now: Date,
): Promise<ListMessagesReply> {
  const filter = filterOf(request, now);
  const page = messages
    .find(filter)
    .sort({ createdAt: -1, id: -1 })
    .skip(request.skip)
    .limit(request.limit)
    .batchSize(AT_ONCE)
    .lean<StoredMessage>()
    .cursor() as AsyncIterable<StoredMessage> & { close(): Promise<void> };
  const views = async (): Promise<MessageView[]> => {
    const listed: MessageView[] = [];
    let bytes = 0;
    try {
      for await (const stored of page) {
        const view = listedView(messageOf(stored), request.withDetails);
        listed.push(view);
        bytes += MessageView.encode(view).finish().length;
        if (bytes >= REPLY_BYTES) break;
      }
      return listed;
    } finally {
      await page.close();
    }
  };
  const [total, listed] = await Promise.all([messages.countDocuments(filter), views()]);
  return { total: BigInt(total), messages: listed };
}

/** A page of whole contents exceeds what a reply and a process can hold. */
function shownContent(content: Content, { push, email }: ReturnType<typeof shownParts>): Content {
  const { ios, android, chrome, firefox, email: mail } = content;
  return Content.fromPartial({
    title: content.title,
    ...(push && {
      text: content.text,
      data: content.data,
      ios: ios && IosContent.fromPartial({ title: ios.title, subtitle: ios.subtitle, rootParams: ios.rootParams }),
      android: android && AndroidContent.fromPartial({ title: android.title, rootParams: android.rootParams }),
      chrome: chrome && ChromeContent.fromPartial({ title: chrome.title, rootParams: chrome.rootParams }),
      firefox: firefox && FirefoxContent.fromPartial({ title: firefox.title, rootParams: firefox.rootParams }),
    }),
    ...(email && {
      email: mail && EmailContent.fromPartial({ subject: mail.subject, from: mail.from, replyTo: mail.replyTo }),
    }),
  });
}

function shownOf(accepted: MessageAccepted, withDetails: boolean): MessageAccepted {
  const { source, sendAt, localTime, reach, audience, content } = accepted;
  const always = { source, sendAt, localTime, reach, audience: { platforms: audience?.platforms ?? [] } };
  if (!withDetails) return MessageAccepted.fromPartial(always);
  const { preset, filterName, filterCode, conditions, conditionsOperator } = accepted;
  return MessageAccepted.fromPartial({
    ...always,
    preset,
    filterName,
    filterCode,
    conditions,
    conditionsOperator,
    content: content && shownContent(content, shownParts(accepted)),
  });
}

function withoutAttachments(accepted: MessageAccepted): MessageAccepted {
  const { content } = accepted;
  if (!content?.email || content.email.attachments.length === 0) return accepted;
  return { ...accepted, content: { ...content, email: { ...content.email, attachments: [] } } };
}

const viewWith = (message: Message, accepted: MessageAccepted): MessageView => ({
  code: message.code,
  id: BigInt(message.id),
  account: message.account,
  createdAt: message.createdAt,
  status: message.status,
  releasedAt: 'releasedAt' in message ? message.releasedAt : undefined,
  message: accepted,
});

export const viewOf = (message: Message): MessageView => viewWith(message, withoutAttachments(message.accepted));

export const listedView = (message: Message, withDetails: boolean): MessageView =>
  viewWith(message, shownOf(message.accepted, withDetails));
