import { setTimeout as delay } from 'node:timers/promises';
import { MessageEvent, PlanEvent, Reports, topicNames, SliceOutcome } from '@tidings/events';
import { openStatistics } from '@tidings/statistics';
import { consume } from '@tidings/streaming';
import { type Broadcast, broadcast, publishAll } from '../lib/broadcast.ts';
import { type Parts, total, usedBetween } from '../lib/parts.ts';
import { untilSteady } from '../lib/rounds.ts';
import { expectFigures, openDeps } from '../lib/service-deps.ts';

export interface Replays {
  readonly events: number;
  readonly rounds: readonly Round[];
}

/** CPU microseconds per event, of this process and of MongoDB. */
interface Round {
  readonly parsing: Parts;
  readonly replaying: Parts;
  /** Events a second; queries meanwhile, with the longest in milliseconds. */
  readonly rate: number;
  readonly queries: number;
  readonly slowestMs: number;
}

const AGO_MS = 12 * 3_600_000;
const QUERY_EVERY_MS = 250;

const readers = {
  [topicNames.messages]: MessageEvent,
  [topicNames.messageTimes]: MessageEvent,
  [topicNames.plans]: PlanEvent,
  [topicNames.outcomes]: SliceOutcome,
  [topicNames.reports]: Reports,
} as const;

const { args, client, deps, cpu, caughtUp, finish } = await openDeps();
const broadcasts = Number(args[0]);
const { broker } = deps;
const service = await openStatistics({ ...deps, db: client.db('statistics') });
const { statistics } = service;

async function publish({ records }: Broadcast): Promise<void> {
  const times = records.get(topicNames.messages)!;
  for (const [topic, own] of [...records, [topicNames.messageTimes, times] as const])
    await publishAll(broker, topic, own);
}

const published: Pick<Broadcast, 'message' | 'figures'>[] = [];
for (let i = 0; i < broadcasts; i++) {
  const one = broadcast(new Date(Date.now() - AGO_MS), BigInt(i + 1));
  await publish(one);
  published.push({ message: one.message, figures: one.figures });
}
const events = published
  .flatMap(({ figures }) => figures)
  .reduce((sum, { sends, errors, deliveries, opens }) => sum + sends + errors + deliveries + opens, 0);
await caughtUp('statistics');

let groups = 0;

async function parsing(): Promise<Parts> {
  const before = cpu();
  const group = `parsing-${groups++}`;
  const subscription = await consume(broker, { group, topics: readers, maxRecords: 20_000, handler: async () => {} });
  await caughtUp(group);
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
    await expectFigures(service, published[queries++ % published.length]!);
    slowestMs = Math.max(slowestMs, performance.now() - queriedAt);
    if ((await statistics.lastReplay({})).replay?.finished) break;
    await delay(QUERY_EVERY_MS);
  }
  const [used, seconds] = [usedBetween(before, cpu(), events), (performance.now() - startedAt) / 1000];
  for (const each of published) await expectFigures(service, each);
  return { replaying: used, rate: events / seconds, queries, slowestMs };
}

async function round(): Promise<Round> {
  await client.db('admin').command({ fsync: 1 });
  return { parsing: await parsing(), ...(await replaying()) };
}
await round();
const rounds = await untilSteady(round, (each) => total(each.parsing) / total(each.replaying));
await service.close();
await finish({ events, rounds } satisfies Replays);
