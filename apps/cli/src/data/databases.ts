import { join } from 'node:path';
import { openMongo } from '@tidings/local-servers';
import { databasePrefixOf, newMongoClient, tryReplicaSet } from '@tidings/mongo';
import { backendNames, type Configuration, openDataFolder, openLog, services } from '@tidings/runtime';
import type { Db, MongoClient } from 'mongodb';

/** The database of the embedded log: the archive has its records and offsets instead. */
export const LOG = 'log';

/** The names of all databases of a deployment, without its prefix. */
export const databaseNames: ReadonlySet<string> = new Set<string>([
  ...backendNames.map((name) => services[name].database),
  LOG,
  'system',
]);

/** The databases of a deployment. Databases of another deployment may begin with the same prefix: `tidings_staging_registry`. */
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
        const existing = new Set(databases.map(({ name }) => name));
        return [...databaseNames].filter((name) => existing.has(`${prefix}${name}`));
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
