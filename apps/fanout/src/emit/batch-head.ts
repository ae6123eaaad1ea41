import { definitionServing } from '@tidings/channels';
import type { RecipientSetKey, SendingApplication } from '@tidings/delivery';
import type { ChunkPlanned, SendBatch } from '@tidings/events';
import type { Released } from '../release/outgoing-message.ts';
import type { BatchHead } from './batch-writer.ts';

export function batchHead(
  message: Released,
  key: RecipientSetKey,
  { application, planned }: { readonly application: SendingApplication | undefined; readonly planned: ChunkPlanned },
): Omit<BatchHead, 'outcomesAgain'> {
  const settings = application?.platforms.find(({ platform, configured }) => configured && platform === key.platform);
  const credential: SendBatch['credential'] = settings && {
    application: key.application,
    platform: settings.platform,
    version: settings.credentialVersion,
  };
  return {
    message: message.message,
    messageId: message.messageId,
    campaignId: message.accepted.campaignId,
    account: message.account,
    content: message.accepted.content,
    credential,
    releasedAt: message.releasedAt,
    sendRate: message.accepted.sendRate,
    applicationTitle: application?.title ?? '',
    marketing: !message.accepted.transactional,
    entry: planned.inbox && { order: message.inboxOrder, removal: planned.inbox.removal },
    // A repeat that the provider does not mask would be a second push.
    atMostOnce: application?.atMostOnce === true || !definitionServing(key).masksRepeats,
  };
}
