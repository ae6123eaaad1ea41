import { afterAll, beforeAll } from '@jest/globals';
import { Fault, randomBase62 } from '@tidings/kernel';
import { findMongod, type Mongod, startMongod } from '@tidings/local-servers';
import { mongoOptions } from '@tidings/mongo';
import { type Db, MongoClient } from 'mongodb';
import { addressFrom, dockerRuns, imageOf, sharedContainer } from './containers.ts';
import { describeWhere } from './describe-where.ts';
import { endWithJest, workerFolder } from './keeper.ts';

/** A real MongoDB with databases that nobody else uses. */
export interface TestMongo {
  readonly url: string;
  readonly client: MongoClient;
  /** What the names of its databases begin with, before a `_`. */
  readonly prefix: string;
  /** A database of this suite, empty at first. */
  readonly db: Db;
  /** Another one, by name. */
  database(name: string): Db;
  /** Drops the databases of this suite and disconnects. The server goes on for the suites that follow. */
  close(): Promise<void>;
}

/** Images by the MongoDB in them: the oldest series that is supported, and the one of `docker-compose.yml`. */
const IMAGES: Readonly<Record<string, string>> = {
  '4.0': 'mongo:4.0.28',
  '8.0': 'mongo:8.0.13',
};

/** The series in the container; a server program has the version that it has. */
const wantedVersion = (): string => process.env['MONGO_VERSION'] ?? '8.0';

/** Whether a MongoDB can be had: an address in `MONGO_URL`, a server program, or a container. */
const canHaveMongo = process.env['MONGO_URL'] !== undefined || (await findMongod()) !== undefined || dockerRuns();

/**
 * A MongoDB for a suite: the one at `MONGO_URL`, else one that all suites of a Jest worker share and that ends with Jest, in Docker where
 * that runs and on this machine otherwise.
 * @throws Fault `unavailable` when there is none.
 */
export async function startMongo(): Promise<TestMongo> {
  const version = wantedVersion();
  const url = await addressFrom({
    given: process.env['MONGO_URL'],
    container: () => sharedContainer(`mongo-${version}`, () => startContainer(version)),
    program: async () => (await sharedMongod()).url,
  });
  const client = await MongoClient.connect(url, mongoOptions);
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

/** The server with the prefix of the databases in its path. */
export function databasesAt({ url, prefix }: Pick<TestMongo, 'url' | 'prefix'>): string {
  const address = new URL(url);
  address.pathname = `/${prefix}`;
  return address.href;
}

/**
 * `describe` with a MongoDB, whose members are there from `beforeAll` on. Where none can be had the suite is skipped, which the tally
 * shows; with `CI` set it fails.
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
    // Hooks run in the order in which they are registered: what the suite closes still has its store.
    afterAll(() => started?.close());
  });
}

/** The server of this Jest worker: started by its first suite, found by the others through its folder. */
async function sharedMongod(): Promise<Mongod> {
  const folder = workerFolder('tests');
  const mongod = await startMongod(folder);
  await endWithJest(mongod.pid, folder);
  return mongod;
}

/**
 * Starts a MongoDB in a container, as a replica set of one member. The member is named as the container calls itself, so clients must not
 * look for it: they connect directly.
 */
async function startContainer(version: string): Promise<string> {
  const { MongoDBContainer } = await import('@testcontainers/mongodb');
  const container = await new MongoDBContainer(imageOf('MongoDB', IMAGES, version)).start();
  return `${container.getConnectionString()}/?directConnection=true`;
}
