import { setTimeout as delay } from 'node:timers/promises';
import { openLogs } from '@tidings/event-store';
import { createCollections } from '@tidings/mongo';
import { openLog } from '@tidings/runtime';
import { MongoClient } from 'mongodb';
import { collections } from '../collections.ts';
import { jobsLog } from './job-log.ts';
import { openJobStore } from './job-store.ts';
import { Worker } from './worker.ts';

export const POISON = 'poison';

/** Kills itself during the first part of a job of {@link POISON}. */
async function main(url: string, database: string, at: string): Promise<void> {
  const clock = { now: () => Date.parse(at) };
  const client = await MongoClient.connect(url);
  const db = client.db(database);
  await createCollections(db, collections);
  const store = openJobStore(db, clock, []);
  const writer = openLogs(db, jobsLog, { clock });
  await writer.applyCommits();
  const worker = new Worker({
    db,
    clock,
    store,
    writer,
    log: openLog('info'),
    countFailure: () => undefined,
    process: async ({ parts: part, accepted: { application } }) => {
      if (application === POISON) process.kill(process.pid, 'SIGKILL');
      await delay(200);
      return { part, entries: 1, done: 1, notFound: 0, failed: 0 };
    },
  });
  while ((await store.queues()).length > 0) await delay(20);
  await worker.stop();
  await writer.close();
  await client.close();
}

const [, program, url, database, at] = process.argv;
if (program?.endsWith('dying-worker.features.ts')) await main(url!, database!, at!);
