import { join } from 'node:path';
import { openMongo } from '@tidings/local-servers';
import { databasePrefixOf, newMongoClient, tryReplicaSet } from '@tidings/mongo';
import { type Configuration, openDataFolder, openLog } from '@tidings/runtime';
import type { Db, MongoClient } from 'mongodb';

/** The databases of a deployment. */
export interface Databases {
  /** Names without the prefix, of those that exist. */
  names(): Promise<string[]>;
  named(name: string): Db;
}

/** Gives `work` the databases of `MONGO_URL`, or of the data folder, whose server runs meanwhile. */
export async function withDatabases<T>(
  { mongoUrl, dataFolder, logLevel }: Configuration,
  work: (databases: Databases) => Promise<T>,
): Promise<T> {
  const prefix = `${databasePrefixOf(mongoUrl)}_`;
  const { client, close } = mongoUrl === undefined ? await ofFolder(dataFolder, logLevel) : await ofUrl(mongoUrl);
  try {
    return await work({
      async names() {
        const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
        return databases
          .map(({ name }) => name)
          .filter((name) => name.startsWith(prefix))
          .map((name) => name.slice(prefix.length));
      },
      named: (name) => client.db(`${prefix}${name}`),
    });
  } finally {
    await close();
  }
}

interface Connection {
  readonly client: MongoClient;
  readonly close: () => Promise<void>;
}

async function ofUrl(url: string): Promise<Connection> {
  await tryReplicaSet(url);
  const client = newMongoClient(url);
  return { client, close: () => client.close() };
}

async function ofFolder(folder: string, logLevel: Configuration['logLevel']): Promise<Connection> {
  const mongo = await openMongo(undefined, join(await openDataFolder(folder), 'mongo'), openLog(logLevel));
  return { client: mongo.client, close: () => mongo.close() };
}
