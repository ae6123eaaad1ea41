import type { Db, MongoClient } from 'mongodb';
import type { Connection } from 'mongoose';
import { mongoose } from './mongoose.ts';

const connections = new WeakMap<MongoClient, Connection>();

/**
 * The mongoose connection to a database, on the client that the database belongs to: one pool and the options of that client serve both. It ends with
 * the client.
 */
export function connectionTo(db: Db): Connection {
  // Public at run time, but not in the driver's types.
  const { client } = db as Db & { readonly client: MongoClient };
  let root = connections.get(client);
  if (!root) {
    root = mongoose.createConnection().setClient(client);
    connections.set(client, root);
  }
  return root.useDb(db.databaseName, { useCache: true, noListener: true });
}
