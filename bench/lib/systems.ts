import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canRunKafka } from '@tidings/local-servers';
import { startCluster, startPlatformProcess } from '@tidings/demo';
import { freePort, openLog } from '@tidings/runtime';
import type { NamedProcess } from './processes.ts';

export type DeploymentMode = 'embedded' | 'distributed';

export interface System {
  readonly url: string;
  readonly dataFolder: string;
  services(): readonly NamedProcess[];
  servers(): readonly NamedProcess[];
  /** In embedded mode MongoDB as well. */
  stopServices(): Promise<void>;
  /** On the same data; resolves when they are ready. */
  startServices(): Promise<void>;
  stop(): Promise<void>;
}

export interface ProviderAddresses {
  readonly apnsUrl: string;
  readonly fcmUrl: string;
}

export const ADMIN_TOKEN = 'administrator-of-the-figures';
const APPS = join(import.meta.dirname, '..', '..', 'apps');

export const built = (app: string): string => join(APPS, app, 'dist', 'main.js');

export const isFull = process.env['FULL'] === '1';

/** The distributed mode is measured with `FULL=1`. It needs Kafka, which needs Java. */
export function modesHere(): readonly DeploymentMode[] {
  if (!isFull) return ['embedded'];
  if (canRunKafka()) return ['embedded', 'distributed'];
  process.stderr.write('SKIPPED: the distributed mode, for want of Java to run Kafka\n');
  return ['embedded'];
}

export async function startSystem(mode: DeploymentMode, { apnsUrl, fcmUrl }: ProviderAddresses): Promise<System> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const system = await (mode === 'embedded' ? startEmbedded : startDistributed)(folder, {
    TIDINGS_ADMIN_TOKEN: ADMIN_TOKEN,
    LOG_LEVEL: 'warn',
    TIDINGS_ALLOW_PRIVATE: '127.0.0.0/8',
    APNS_URL: apnsUrl,
    FCM_URL: fcmUrl,
  });
  return {
    ...system,
    dataFolder: folder,
    async stop() {
      await system.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Start = (folder: string, env: Readonly<Record<string, string>>) => Promise<Omit<System, 'dataFolder'>>;

const startEmbedded: Start = async (dataFolder, env) => {
  const port = await freePort();
  const start = async () => {
    const platform = await startPlatformProcess({ entry: built('platform'), dataFolder, port, env });
    return { platform, mongod: (await platform.mongodPid())! };
  };
  let running = await start();
  const stop = async (): Promise<void> => void (await running.platform.stop());
  return {
    url: running.platform.url,
    services: () => [{ name: 'platform', pid: running.platform.pid }],
    servers: () => [{ name: 'mongod', pid: running.mongod }],
    stopServices: stop,
    startServices: async () => void (running = await start()),
    stop,
  };
};

const startDistributed: Start = async (folder, env) => {
  const cluster = await startCluster({ apps: APPS, folder, env, adminToken: ADMIN_TOKEN, log: openLog('warn') });
  const { url, members } = cluster;
  return {
    url,
    services: () => members.map(({ service, pid }) => ({ name: service, pid })),
    servers: () => [
      { name: 'mongod', pid: cluster.mongod!.pid() },
      { name: 'kafka', pid: cluster.kafka!.pid },
    ],
    stopServices: async () => void (await Promise.all(members.map((member) => member.stop()))),
    startServices: () => cluster.start(members),
    stop: () => cluster.stop(),
  };
};
