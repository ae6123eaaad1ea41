import type { Db, MongoClient } from 'mongodb';
import type { Connection } from 'mongoose';
import { mongoose } from './mongoose.ts';

const connections = new WeakMap<MongoClient, Connection>();

/**
 * The mongoose connection to a database, on the client that the database belongs to: one pool and the options of that client serve both. It ends with
 * the client.
 */
export function connectionTo({ client, databaseName }: Pick<Db, 'client' | 'databaseName'>): Connection {
  let root = connections.get(client);
  if (!root) {
    root = mongoose.createConnection().setClient(client);
    connections.set(client, root);
  }
  return root.useDb(databaseName, { useCache: true, noListener: true });
}
