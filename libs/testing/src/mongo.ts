import { afterAll, beforeAll } from '@jest/globals';
import { Fault, randomBase62 } from '@tidings/kernel';
import { findMongod, type Mongod, startMongod } from '@tidings/local-servers';
import { mongoOptions } from '@tidings/mongo';
import { type Db, MongoClient } from 'mongodb';
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

/** Whether a MongoDB can be had: an address in `MONGO_URL`, or a server program. */
const canHaveMongo = process.env['MONGO_URL'] !== undefined || (await findMongod()) !== undefined;

/**
 * A MongoDB for a suite: the one at `MONGO_URL`, else one that all suites of a Jest worker share and that ends with Jest.
 * @throws Fault `unavailable` when there is none.
 */
export async function startMongo(): Promise<TestMongo> {
  const url = process.env['MONGO_URL'] ?? (await sharedMongod()).url;
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
    afterAll(() => started?.close());
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
  });
}

/** The server of this Jest worker: started by its first suite, found by the others through its folder. */
async function sharedMongod(): Promise<Mongod> {
  const folder = workerFolder('tests');
  const mongod = await startMongod(folder);
  await endWithJest(mongod.pid, folder);
  return mongod;
}
