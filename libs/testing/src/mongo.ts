import { afterAll, beforeAll } from '@jest/globals';
import { Fault, randomBase62 } from '@tidings/kernel';
import { findMongod, type Mongod, startMongod } from '@tidings/local-servers';
import { mongoOptions } from '@tidings/mongo';
import { type Db, MongoClient } from 'mongodb';
import { addressFrom, dockerRuns, imageOf, sharedContainer } from './containers.ts';
import { describeWhere } from './describe-where.ts';
import { endWithJest, workerFolder } from './keeper.ts';

/** A real MongoDB with databases unique to the suite. */
export interface TestMongo {
  readonly url: string;
  readonly client: MongoClient;
  /** Prefix of its database names, before a `_`. */
  readonly prefix: string;
  /** A database of this suite, initially empty. */
  readonly db: Db;
  /** Another database of this suite, by name. */
  database(name: string): Db;
  /** Drops the databases of this suite and disconnects. The server keeps running for later suites. */
  close(): Promise<void>;
}

/** Images by MongoDB version: the oldest supported series, and the one in `docker-compose.yml`. */
const IMAGES: Readonly<Record<string, string>> = {
  '4.0': 'mongo:4.0.28',
  '8.0': 'mongo:8.0.13',
};

/** The series of the container; a server program has a fixed version. */
const wantedVersion = (): string => process.env['MONGO_VERSION'] ?? '8.0';

/** Whether a MongoDB is available: an address in `MONGO_URL`, a server program, or a container. */
const canHaveMongo = process.env['MONGO_URL'] !== undefined || (await findMongod()) !== undefined || dockerRuns();

/**
 * A MongoDB for a suite: the one at `MONGO_URL`, else one that all suites of a Jest worker share and that ends with Jest, in Docker if it runs,
 * otherwise on this machine.
 * @throws Fault `unavailable` if there is none.
 */
export async function startMongo(): Promise<TestMongo> {
  const version = wantedVersion();
  const url = await addressFrom({
    given: process.env['MONGO_URL'],
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

/** The server URL with the prefix of the databases as its path. */
export function databasesAt({ url, prefix }: Pick<TestMongo, 'url' | 'prefix'>): string {
  const address = new URL(url);
  address.pathname = `/${prefix}`;
  return address.href;
}

/**
 * `describe` with a MongoDB, whose members are set from `beforeAll` on. Without a MongoDB the suite is skipped, which the tally shows; with `CI` set
 * it fails.
 */
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

/** The server of this Jest worker: its first suite starts it, and the others find it through its folder. */
async function sharedMongod(): Promise<Mongod> {
  const folder = workerFolder('tests');
  const mongod = await startMongod(folder, { outlivesKill: true });
  await endWithJest(mongod.pid, folder);
  return mongod;
}

/**
 * Starts a MongoDB in a container, as a replica set of one member. The member's address is valid only inside of the container, so clients must
 * connect directly.
 */
async function startContainer(version: string): Promise<string> {
  const { MongoDBContainer } = await import('@testcontainers/mongodb');
  const container = await new MongoDBContainer(imageOf('MongoDB', IMAGES, version)).start();
  return `${container.getConnectionString()}/?directConnection=true`;
}
