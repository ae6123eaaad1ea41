import type { StoredState } from '@tidings/event-store';
import { MessageAccepted } from '@tidings/events';
import type { Message } from '@tidings/messaging';
import type { ListMessagesReply, ListMessagesRequest, MessageView } from '@tidings/rpc';
import type { FilterQuery, Model } from 'mongoose';
import { type MessageDocument, messageOf } from './message-document.ts';

export type StoredMessage = MessageDocument & { readonly _id: string };

/** The query of a messages:list request on the states (Spec H, R-H2, R-H3); hidden messages are never listed (R-I6). */
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

/** Newest first; `total` counts all matches (R-H2). Expired messages are omitted (R-LM3). Messages may be large: one at a time is held as stored. */
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
    .lean<StoredMessage>()
    .cursor() as AsyncIterable<StoredMessage>;
  const views = async (): Promise<MessageView[]> => {
    const listed: MessageView[] = [];
    for await (const stored of page) listed.push(viewOf(messageOf(stored), request.withDetails));
    return listed;
  };
  const [total, listed] = await Promise.all([messages.countDocuments(filter), views()]);
  return { total: BigInt(total), messages: listed };
}

/** Nothing shows attachments, and a page of mails with theirs exceeds what one reply holds. */
function withoutAttachments(accepted: MessageAccepted): MessageAccepted {
  const { content } = accepted;
  if (!content?.email || content.email.attachments.length === 0) return accepted;
  return { ...accepted, content: { ...content, email: { ...content.email, attachments: [] } } };
}

/** @param withDetails whether to include content, less its attachments, and audience, which can be large */
export function viewOf(message: Message, withDetails: boolean): MessageView {
  const { accepted } = message;
  const platforms = accepted.audience?.platforms ?? [];
  return {
    code: message.code,
    id: BigInt(message.id),
    account: message.account,
    createdAt: message.createdAt,
    status: message.status,
    releasedAt: 'releasedAt' in message ? message.releasedAt : undefined,
    message: withDetails
      ? withoutAttachments(accepted)
      : MessageAccepted.fromPartial({ ...accepted, content: undefined, audience: { platforms }, conditions: '' }),
  };
}
