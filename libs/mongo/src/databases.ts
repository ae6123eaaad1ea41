import type { Db, MongoClient } from 'mongodb';

/** The database of a service: `tidings_registry`, `tidings_scheduler` … (architecture 2). */
export const databaseOf = (client: MongoClient, service: string, prefix = 'tidings'): Db =>
  client.db(`${prefix}_${service.replaceAll('-', '_')}`);

/** The prefix of a deployment's database names: the path of `MONGO_URL`, or `tidings` without one. */
export const databasePrefixOf = (url: string | undefined): string =>
  /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^/?]+)/.exec(url ?? '')?.[1] ?? 'tidings';
