import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { MessageEvent, PlanEvent, Reports, topicNames, topics, SliceOutcome } from '@tidings/events';
import { systemClock } from '@tidings/kernel';
import { mongoOptions } from '@tidings/mongo';
import { keysFrom, openLog, openMetrics } from '@tidings/runtime';
import { openStatistics } from '@tidings/statistics';
import { consume, openEmbeddedBroker } from '@tidings/streaming';
import { MongoClient } from 'mongodb';
import { type Broadcast, broadcast, publishAll } from '../lib/broadcast.ts';
import { type Parts, usedBetween } from '../lib/parts.ts';
import { ownCpuWith } from '../lib/processes.ts';

/** argv: MongoDB's address and pid, number of broadcasts. Prints {@link Round}s. */
const [url, mongodPid, broadcasts] = process.argv.slice(2) as [string, string, string];
const cpu = (): Parts => ownCpuWith(Number(mongodPid));

/** CPU microseconds per event, of this process and of MongoDB. */
export interface Round {
  readonly parsing: Parts;
  readonly replaying: Parts;
  /** Events a second; queries meanwhile, with the longest in milliseconds. */
  readonly rate: number;
  readonly queries: number;
  readonly slowestMs: number;
}

const ROUNDS = 5;
const WARM_UP = 1;
const AGO_MS = 12 * 3_600_000;
const QUERY_EVERY_MS = 250;

const readers = {
  [topicNames.messages]: MessageEvent,
  [topicNames.messageTimes]: MessageEvent,
  [topicNames.plans]: PlanEvent,
  [topicNames.outcomes]: SliceOutcome,
  [topicNames.reports]: Reports,
} as const;

const client = await MongoClient.connect(url, mongoOptions);
const broker = await openEmbeddedBroker({
  db: client.db('log'),
  clock: systemClock,
  topics: topics([]),
  owner: 'bench',
});
const service = await openStatistics({
  clock: systemClock,
  log: openLog('warn'),
  metrics: openMetrics(),
  keys: keysFrom(new Uint8Array(32)),
  broker,
  db: client.db('statistics'),
});
const { statistics } = service;

async function publish({ records }: Broadcast): Promise<void> {
  const times = records.get(topicNames.messages)!;
  for (const [topic, own] of [...records, [topicNames.messageTimes, times] as const])
    await publishAll(broker, topic, own);
}

async function level(group: string): Promise<void> {
  while ((await broker.lag(group)).some(({ committed, end }) => committed < end)) await delay(10);
}

const published: Pick<Broadcast, 'message' | 'figures'>[] = [];
for (let i = 0; i < Number(broadcasts); i++) {
  const one = broadcast(new Date(Date.now() - AGO_MS), BigInt(i + 1));
  await publish(one);
  published.push({ message: one.message, figures: one.figures });
}
const events = published
  .flatMap(({ figures }) => figures)
  .reduce((sum, { sends, errors, deliveries, opens }) => sum + sends + errors + deliveries + opens, 0);
await level('statistics');

/** @throws if the figures differ from the published events */
async function expectFigures({ message, figures }: Pick<Broadcast, 'message' | 'figures'>): Promise<void> {
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

async function parsing(round: number): Promise<Parts> {
  const before = cpu();
  const group = `parsing-${round}`;
  const subscription = await consume(broker, { group, topics: readers, maxRecords: 20_000, handler: async () => {} });
  await level(group);
  const used = usedBetween(before, cpu(), events);
  await subscription.stop();
  return used;
}

async function replaying(): Promise<Omit<Round, 'parsing'>> {
  const before = cpu();
  const startedAt = performance.now();
  await statistics.startReplay({ projection: 'statistics' });
  let [queries, slowestMs] = [0, 0];
  for (;;) {
    const queriedAt = performance.now();
    await expectFigures(published[queries++ % published.length]!);
    slowestMs = Math.max(slowestMs, performance.now() - queriedAt);
    if ((await statistics.lastReplay({})).replay?.finished) break;
    await delay(QUERY_EVERY_MS);
  }
  const [used, seconds] = [usedBetween(before, cpu(), events), (performance.now() - startedAt) / 1000];
  for (const each of published) await expectFigures(each);
  return { replaying: used, rate: events / seconds, queries, slowestMs };
}

const rounds: Round[] = [];
for (let i = 0; i < WARM_UP + ROUNDS; i++) {
  await client.db('admin').command({ fsync: 1 });
  const round = { parsing: await parsing(i), ...(await replaying()) };
  if (i >= WARM_UP) rounds.push(round);
}
await service.close();
await broker.close();
await client.close();
console.log(JSON.stringify({ ready: { events, rounds } }));
