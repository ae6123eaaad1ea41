import { join } from 'node:path';
import { openMongo } from '@tidings/local-servers';
import { databasePrefixOf, newMongoClient, tryReplicaSet } from '@tidings/mongo';
import { backendNames, type Configuration, openDataFolder, openLog, services } from '@tidings/runtime';
import type { Db, MongoClient } from 'mongodb';

/** The archive has the log's records and offsets instead. */
export const LOG = 'log';

export const databaseNames: ReadonlySet<string> = new Set<string>([
  ...backendNames.map((name) => services[name].database),
  LOG,
  'system',
]);

/** Another deployment may have the same prefix: `tidings_staging_registry`. */
export interface Databases {
  names(): Promise<string[]>;
  named(name: string): Db;
}

/** The server of a data folder runs during `work`. */
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
