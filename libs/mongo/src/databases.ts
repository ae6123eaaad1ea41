import type { Db, MongoClient } from 'mongodb';

export const databaseOf = (client: MongoClient, service: string, prefix = 'tidings'): Db =>
  client.db(`${prefix}_${service.replaceAll('-', '_')}`);

export const databasePrefixOf = (url: string | undefined): string =>
  /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^/?]+)/.exec(url ?? '')?.[1] ?? 'tidings';
