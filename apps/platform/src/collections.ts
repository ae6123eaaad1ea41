import { collections as audienceJobs } from '@tidings/audience-jobs/collections';
import { collections as dispatcher } from '@tidings/dispatcher/collections';
import { collections as fanout } from '@tidings/fanout/collections';
import type { ModelDefinition } from '@tidings/mongo';
import { collections as registry } from '@tidings/registry/collections';
import type { ServiceDatabase } from '@tidings/runtime';
import { masterKeyModel } from '@tidings/runtime/master-key-model';
import { collections as scheduler } from '@tidings/scheduler/collections';
import { collections as statistics } from '@tidings/statistics/collections';
import { embeddedLogCollections } from '@tidings/streaming';
import { collections as webhooks } from '@tidings/webhooks/collections';

export const collectionsByDatabase: Readonly<Record<ServiceDatabase | 'log' | 'system', readonly ModelDefinition[]>> = {
  registry: [...registry, ...fanout],
  scheduler,
  dispatcher,
  statistics,
  audience_jobs: audienceJobs,
  webhooks,
  log: embeddedLogCollections,
  system: [masterKeyModel],
};
