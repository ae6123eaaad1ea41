import { every, isAlive } from '@tidings/coordination';
import { newMongoClient } from '@tidings/mongo';
import type { MongoClient } from 'mongodb';
import type { Logger } from 'pino';
import { type Mongod, startMongod } from './mongod.ts';

/** A connection to MongoDB and, where this process runs the server, the server. */
export interface Mongo {
  readonly url: string;
  readonly client: MongoClient;
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 500;

/**
 * Connects to `url`, or to the server that runs on `folder`, started if need be (architecture 3). A server of this process's own that dies
 * is started again on the same port: meanwhile calls wait for it as they wait for a primary.
 * @throws what {@link startMongod} does, or the driver where nobody answers at `url`: `tryReplicaSet` says more of that
 */
export async function openMongo(url: string | undefined, folder: string, log: Logger): Promise<Mongo> {
  if (url !== undefined) return connect(url, async () => undefined);
  const mongod = await startMongod(folder);
  const keeper = keep(mongod, folder, log);
  try {
    return await connect(mongod.url, keeper.stop);
  } catch (error) {
    await keeper.stop();
    throw error;
  }
}

async function connect(url: string, stop: () => Promise<void>): Promise<Mongo> {
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
    LOOK_EVERY_MS,
    async () => {
      if (isAlive(mongod.pid)) return;
      log.error({ pid: mongod.pid, ...(await mongod.lastWords()) }, 'MongoDB ended; restarting it');
      mongod = await startMongod(folder);
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
