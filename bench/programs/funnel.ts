import { setTimeout as delay } from 'node:timers/promises';
import { topics } from '@tidings/events';
import { systemClock } from '@tidings/kernel';
import { mongoOptions } from '@tidings/mongo';
import { keysFrom, openLog, openMetrics } from '@tidings/runtime';
import { openStatistics } from '@tidings/statistics';
import { openEmbeddedBroker } from '@tidings/streaming';
import { BSON, type Document, MongoClient } from 'mongodb';
import { broadcast, chunksOf, publishAll } from '../lib/broadcast.ts';
import { type Parts, usedBetween } from '../lib/parts.ts';
import { ownCpuWith } from '../lib/processes.ts';

/** argv: MongoDB's address and pid, number of devices. Prints {@link FunnelReads}. */
const [url, mongodPid, devices] = process.argv.slice(2) as [string, string, string];
const cpu = (): Parts => ownCpuWith(Number(mongodPid));

/** CPU microseconds per query. */
export interface FunnelReads {
  readonly counted: Parts[];
  readonly read: Parts[];
  readonly milliseconds: number[];
  readonly documents: number;
  readonly bytes: number;
}

const ROUNDS = 7;
const WARM_UP = 2;
const QUERIES = 20;
const AGO_MS = 12 * 3_600_000;

const client = await MongoClient.connect(url, mongoOptions);
const broker = await openEmbeddedBroker({
  db: client.db('log'),
  clock: systemClock,
  topics: topics([]),
  owner: 'bench',
});
const db = client.db('statistics');
const service = await openStatistics({
  clock: systemClock,
  log: openLog('warn'),
  metrics: openMetrics(),
  keys: keysFrom(new Uint8Array(32)),
  broker,
  db,
});

const { message, records, figures } = broadcast(new Date(Date.now() - AGO_MS), 1n, chunksOf(Number(devices)));
for (const [topic, own] of records) await publishAll(broker, topic, own);
while ((await broker.lag('statistics')).some(({ committed, end }) => committed < end)) await delay(10);

const readAll = (): Promise<Document[]> =>
  db
    .collection<{ _id: string }>('groups')
    .find({ _id: { $gte: `${message}/`, $lt: `${message}0` } })
    .toArray();

async function funnel(): Promise<void> {
  const { channels } = await service.statistics.funnel({ message, platforms: [], trackingOff: false });
  const sent = channels[0]?.funnel.find(({ stage }) => stage === 'STAGE_SENT')?.total?.count;
  const expected = figures.reduce((sum, { sends }) => sum + sends, 0);
  if (sent !== expected) throw new Error(`the funnel counts ${sent} instead of ${expected}`);
}

async function used(query: () => Promise<unknown>): Promise<Parts> {
  const before = cpu();
  for (let i = 0; i < QUERIES; i++) await query();
  return usedBetween(before, cpu(), QUERIES);
}

const stored = await readAll();
const result = { counted: [] as Parts[], read: [] as Parts[], milliseconds: [] as number[] };
for (let i = 0; i < WARM_UP + ROUNDS; i++) {
  const read = await used(readAll);
  const startedAt = performance.now();
  const counted = await used(funnel);
  if (i < WARM_UP) continue;
  result.read.push(read);
  result.counted.push(counted);
  result.milliseconds.push((performance.now() - startedAt) / QUERIES);
}
await service.close();
await broker.close();
await client.close();
const bytes = stored.reduce((sum, document) => sum + BSON.calculateObjectSize(document), 0);
const ready: FunnelReads = { ...result, documents: stored.length, bytes };
console.log(JSON.stringify({ ready }));
