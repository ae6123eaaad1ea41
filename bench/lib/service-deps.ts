import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { topics } from '@tidings/events';
import { systemClock } from '@tidings/kernel';
import { mongoOptions } from '@tidings/mongo';
import { keysFrom, openLog, openMetrics } from '@tidings/runtime';
import type { StatisticsService } from '@tidings/statistics';
import { openEmbeddedBroker } from '@tidings/streaming';
import { MongoClient } from 'mongodb';
import type { Broadcast } from './broadcast.ts';
import { ownCpuWith } from './processes.ts';

/** For programs that `runWithStore` starts. */
export async function openDeps() {
  const [url = '', mongodPid, ...args] = process.argv.slice(2);
  const client = await MongoClient.connect(url, mongoOptions);
  const clock = systemClock;
  const broker = await openEmbeddedBroker({ db: client.db('log'), clock, topics: topics([]), owner: 'bench' });
  return {
    args,
    client,
    deps: { clock, log: openLog('warn'), metrics: openMetrics(), keys: keysFrom(new Uint8Array(32)), broker },
    cpu: () => ownCpuWith(Number(mongodPid)),
    /** Resolves when the consumer group has read everything. */
    caughtUp: async (group: string): Promise<void> => {
      while ((await broker.lag(group)).some(({ committed, end }) => committed < end)) await delay(10);
    },
    finish: async (ready: unknown): Promise<void> => {
      await broker.close();
      await client.close();
      console.log(JSON.stringify({ ready }));
    },
  };
}

/** @throws if the figures differ from the published events */
export async function expectFigures(
  { statistics }: StatisticsService,
  { message, figures }: Pick<Broadcast, 'message' | 'figures'>,
): Promise<void> {
  const { messages } = await statistics.metrics({ messages: [message] });
  const found = messages[0]!.platforms.map(({ platform, sends, deliveries, opens, errors }) => ({
    platform,
    sends,
    deliveries,
    opens,
    errors,
  }));
  if (!isDeepStrictEqual(found, figures))
    throw new Error(`counted ${JSON.stringify(found)} instead of ${JSON.stringify(figures)}`);
}
