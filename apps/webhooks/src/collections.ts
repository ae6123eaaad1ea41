import { logCollections } from '@tidings/event-store';
import type { ModelDefinition } from '@tidings/mongo';
import { COMMITS_KEPT_MS } from './streams/unacked.ts';
import { deferredModel } from './streams/deferred/deferred.schema.ts';
import { messagesModel, deliveriesModel } from './facts/facts.schema.ts';
import { ownersModel, streamsModel } from './streams/streams.schema.ts';
import { secretsModel, subscriptionsModel } from './subscriptions/subscriptions.schema.ts';

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
