import { logCollections } from '@tidings/event-store';
import type { ModelDefinition } from '@tidings/mongo';
import { COMMITS_KEPT_MS } from './streams/unacked.ts';
import {
  deferredModel,
  messagesModel,
  ownersModel,
  secretsModel,
  streamsModel,
  subscriptionsModel,
  deliveriesModel,
} from './storage/webhooks.schema.ts';

/** The collections of the webhook streamer. */
export const collections: readonly ModelDefinition[] = [
  ...logCollections('webhooks', COMMITS_KEPT_MS),
  messagesModel,
  deliveriesModel,
  subscriptionsModel,
  streamsModel,
  deferredModel,
  secretsModel,
  ownersModel,
];
