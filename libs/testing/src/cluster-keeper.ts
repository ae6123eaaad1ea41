// Runs the shared cluster in a process that outlives Jest's workers, but not Jest. node cluster-keeper.js <folder> reads `options.json` there, and
// writes `cluster.json`
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '@tidings/coordination';
import { startCluster } from '@tidings/demo';
import { openLog } from '@tidings/runtime';
import { threeProcesses } from './cluster-for-tests.ts';
import type { KeptCluster, KeeperOptions } from './shared-cluster.ts';

const WATCH_EVERY_MS = 500;

const folder = process.argv[2]!;
const { runner, ports, ...options } = JSON.parse(await readFile(join(folder, 'options.json'), 'utf8')) as KeeperOptions;

const cluster = await startCluster({
  ...options,
  ...threeProcesses,
  folder,
  log: openLog('error'),
});
let replaced = false;
process.once('SIGTERM', () => (replaced = true));

const kept: KeptCluster = {
  pid: process.pid,
  urls: cluster.urls,
  mailPort: cluster.mailPort,
  eventsPort: cluster.eventsPort,
  kafka: { brokers: cluster.kafkaBrokers, namespace: options.env['KAFKA_NAMESPACE'] ?? '' },
  admin: options.adminToken,
  mongoUrl: cluster.mongoUrl,
  ports,
};
const draft = join(folder, 'draft.json');
await writeFile(draft, JSON.stringify(kept));
await rename(draft, join(folder, 'cluster.json'));

while (!replaced && isAlive(runner)) await delay(WATCH_EVERY_MS);
// Its stores may have ended first: no graceful shutdown.
await Promise.all(cluster.members.map((member) => member.kill()));
await rm(folder, { recursive: true, force: true });
process.exit();
