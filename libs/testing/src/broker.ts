import { type Topic, topics } from '@tidings/events';
import { channels as allChannels, type Clock, systemClock } from '@tidings/kernel';
import { type EmbeddedBroker, openEmbeddedBroker } from '@tidings/streaming';
import type { Db } from 'mongodb';

export interface TestBrokerOptions {
  readonly db: Db;
  /** @default the system's */
  readonly clock?: Clock;
  /** @default all topics of a deployment with these channels */
  readonly topics?: readonly Topic[];
  /** @default all */
  readonly channels?: readonly string[];
}

/** Close it before the database is dropped. */
export const testBroker = ({
  db,
  clock = systemClock,
  channels = allChannels,
  topics: topicSpecs = topics(channels),
}: TestBrokerOptions): Promise<EmbeddedBroker> => openEmbeddedBroker({ db, clock, topics: topicSpecs, owner: 'test' });
