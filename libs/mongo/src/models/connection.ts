import type { Db, MongoClient } from 'mongodb';
import type { Connection } from 'mongoose';
import { mongoose } from './mongoose.ts';

const connections = new WeakMap<MongoClient, Connection>();

export function connectionTo(db: Db): Connection {
  const { client } = db as Db & { readonly client: MongoClient };
  let root = connections.get(client);
  if (!root) {
    root = mongoose.createConnection().setClient(client);
    connections.set(client, root);
  }
  return root.useDb(db.databaseName, { useCache: true, noListener: true });
}
