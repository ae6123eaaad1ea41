import { openStatistics } from '@tidings/statistics';
import { BSON, type Document } from 'mongodb';
import { broadcast, chunksOf, publishAll } from '../lib/broadcast.ts';
import { type Parts, total, usedBy } from '../lib/parts.ts';
import { untilSteady } from '../lib/rounds.ts';
import { openDeps } from '../lib/service-deps.ts';

/** CPU microseconds per query. */
export interface FunnelReads {
  readonly counted: Parts[];
  readonly read: Parts[];
  readonly milliseconds: number[];
  readonly documents: number;
  readonly bytes: number;
}

const WARM_UP = 2;
const QUERIES = 20;
const AGO_MS = 12 * 3_600_000;

const { args, client, deps, cpu, caughtUp, finish } = await openDeps();
const devices = Number(args[0]);
const db = client.db('statistics');
const service = await openStatistics({ ...deps, db });

const { message, records, figures } = broadcast(new Date(Date.now() - AGO_MS), 1n, chunksOf(devices));
for (const [topic, own] of records) await publishAll(deps.broker, topic, own);
await caughtUp('statistics');

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

const used = (query: () => Promise<unknown>): Promise<Parts> =>
  usedBy(cpu, QUERIES, async () => {
    for (let i = 0; i < QUERIES; i++) await query();
  });

const stored = await readAll();
async function round() {
  const read = await used(readAll);
  const startedAt = performance.now();
  const counted = await used(funnel);
  return { read, counted, milliseconds: (performance.now() - startedAt) / QUERIES };
}
for (let i = 0; i < WARM_UP; i++) await round();
const rounds = await untilSteady(round, ({ read, counted }) => total(counted) / total(read));
await service.close();
await finish({
  counted: rounds.map(({ counted }) => counted),
  read: rounds.map(({ read }) => read),
  milliseconds: rounds.map(({ milliseconds }) => milliseconds),
  documents: stored.length,
  bytes: stored.reduce((sum, document) => sum + BSON.calculateObjectSize(document), 0),
} satisfies FunnelReads);
