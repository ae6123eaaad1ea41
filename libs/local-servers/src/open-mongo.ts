import { every, isAlive } from '@tidings/coordination';
import type { MongoClient } from 'mongodb';
import type { Logger } from 'pino';
import { type Mongod, type MongodOptions, startMongod } from './mongod.ts';
import { boundLog } from './mongod-log.ts';
import { logOf } from './mongod-process.ts';

export interface Mongo {
  readonly url: string;
  readonly client: MongoClient;
  close(): Promise<void>;
}

const CHECK_INTERVAL_MS = 500;

/** Restarts its own server on the same port; calls wait meanwhile. */
export async function openMongo(
  url: string | undefined,
  folder: string,
  log: Logger,
  options: Omit<MongodOptions, 'outlivesKill'> = {},
): Promise<Mongo> {
  if (url !== undefined) {
    const { tryReplicaSet } = await import('@tidings/mongo');
    await tryReplicaSet(url);
    return connect(url, async () => undefined);
  }
  const mongod = await startMongod(folder, { ...options, outlivesKill: true });
  const keeper = keep(mongod, folder, log);
  try {
    return await connect(mongod.url, keeper.stop);
  } catch (error) {
    await keeper.stop();
    throw error;
  }
}

async function connect(url: string, stop: () => Promise<void>): Promise<Mongo> {
  const { newMongoClient } = await import('@tidings/mongo');
  const client = await newMongoClient(url).connect();
  return {
    url,
    client,
    async close() {
      await client.close();
      await stop();
    },
  };
}

function keep(started: Mongod, folder: string, log: Logger): { stop(this: void): Promise<void> } {
  let mongod = started;
  const looking = every(
    CHECK_INTERVAL_MS,
    async () => {
      if (isAlive(mongod.pid)) return boundLog(logOf(folder));
      log.error({ pid: mongod.pid, ...(await mongod.exitDetails()) }, 'MongoDB ended; restarting it');
      mongod = await startMongod(folder, { outlivesKill: true });
    },
    { name: 'keeping MongoDB', log },
  );
  return {
    async stop() {
      await looking.stop();
      await mongod.stop();
    },
  };
}
