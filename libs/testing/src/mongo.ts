import { afterAll, beforeAll } from '@jest/globals';
import { Fault, randomBase62 } from '@tidings/kernel';
import { findMongod, type Mongod, startMongod } from '@tidings/local-servers';
import { mongoOptions } from '@tidings/mongo';
import { type Db, MongoClient } from 'mongodb';
import { addressFrom, dockerRuns, imageOf, sharedContainer } from './containers.ts';
import { describeWhere } from './describe-where.ts';
import { endWithJest, workerFolder } from './keeper.ts';

export interface TestMongo {
  readonly url: string;
  readonly client: MongoClient;
  /** Before a `_`. */
  readonly prefix: string;
  readonly db: Db;
  database(name: string): Db;
  /** The server keeps running for later suites. */
  close(): Promise<void>;
}

/** The oldest supported series, and the one in `docker-compose.yml`. */
const IMAGES: Readonly<Record<string, string>> = {
  '4.0': 'mongo:4.0.28',
  '8.0': 'mongo:8.0.13',
};

/** Only for a container; a server program has a fixed version. */
const requestedVersion = (): string => process.env['MONGO_VERSION'] ?? '8.0';

const canHaveMongo = process.env['MONGO_URL'] !== undefined || (await findMongod()) !== undefined || dockerRuns();

/** The one at `MONGO_URL`, else one per Jest worker, in Docker or on this machine. @throws Fault `unavailable` without one */
export async function startMongo(): Promise<TestMongo> {
  const version = requestedVersion();
  const url = await addressFrom({
    configured: process.env['MONGO_URL'],
    container: () => sharedContainer(`mongo-${version}`, () => startContainer(version)),
    program: async () => (await sharedMongod()).url,
  });
  const client = await MongoClient.connect(url, mongoOptions);
  // Suites have clocks of their own: MongoDB would remove what expired before today.
  if (process.env['MONGO_URL'] === undefined)
    await client.db('admin').command({ setParameter: 1, ttlMonitorEnabled: false });
  const prefix = `test_${randomBase62(10)}`;
  const database = (name: string): Db => client.db(`${prefix}_${name}`);
  return {
    url,
    client,
    prefix,
    db: database('main'),
    database,
    async close() {
      const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
      for (const { name } of databases) if (name.startsWith(`${prefix}_`)) await client.db(name).dropDatabase();
      await client.close();
    },
  };
}

/** The path is the prefix of the databases. */
export function databasesAt({ url, prefix }: Pick<TestMongo, 'url' | 'prefix'>): string {
  const address = new URL(url);
  address.pathname = `/${prefix}`;
  return address.href;
}

/** Members are set from `beforeAll` on. Skips the suite without a MongoDB; with `CI` set, it fails. */
export function describeWithMongo(name: string, suite: (mongo: Omit<TestMongo, 'close'>) => void): void {
  describeWhere(canHaveMongo)(name, () => {
    let started: TestMongo | undefined;
    const mongo = (): TestMongo => {
      if (!started) throw Fault.bug('MongoDB is there from beforeAll on');
      return started;
    };
    beforeAll(async () => void (started = await startMongo()));
    suite({
      get url() {
        return mongo().url;
      },
      get client() {
        return mongo().client;
      },
      get prefix() {
        return mongo().prefix;
      },
      get db() {
        return mongo().db;
      },
      database: (database) => mongo().database(database),
    });
    // Hooks run in order of registration: the suite's own closing hooks still have their store.
    afterAll(() => started?.close());
  });
}

/** The first suite starts it; the others find it through its folder. */
async function sharedMongod(): Promise<Mongod> {
  const folder = workerFolder('tests');
  const mongod = await startMongod(folder, { outlivesKill: true });
  await endWithJest(mongod.pid, folder);
  return mongod;
}

/** The member's address is valid only inside the container, so clients must connect directly. */
async function startContainer(version: string): Promise<string> {
  const { MongoDBContainer } = await import('@testcontainers/mongodb');
  const container = await new MongoDBContainer(imageOf('MongoDB', IMAGES, version)).start();
  return `${container.getConnectionString()}/?directConnection=true`;
}
