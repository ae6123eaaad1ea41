import { collectionsOfLogs } from '@tidings/event-store';
import { inDays, type KeptCollection } from '@tidings/mongo';
import { HIDDEN_KEPT_MS, KEPT_MS } from './facts/known-messages.ts';
import { SUBSCRIPTIONS, DELIVERIES } from './webhook-log.ts';
import { FORGET_OWNERS_MS } from './streams/streams.ts';
import { COMMITS_KEPT_MS } from './streams/unacked.ts';

/** The collections of the webhook streamer, each with its retention. */
export const collections: readonly KeptCollection[] = [
  ...collectionsOfLogs('webhooks', COMMITS_KEPT_MS),
  { name: 'messages', kept: `${inDays(KEPT_MS)}, hidden ones ${inDays(HIDDEN_KEPT_MS)}` },
  { name: DELIVERIES, kept: inDays(KEPT_MS) },
  { name: SUBSCRIPTIONS, kept: 'until it is deleted' },
  { name: 'streams', kept: 'with the subscription' },
  { name: 'owners', kept: `${inDays(FORGET_OWNERS_MS)} from the end of the lease` },
];
