import { type Db, MongoClient } from 'mongodb';
import { mongoOptions, startMongod } from './mongod.ts';

/** A connection to MongoDB and, where this process runs the server, the server. */
export interface Mongo {
  readonly url: string;
  readonly client: MongoClient;
  /** The server's process, where it is ours. */
  readonly pid: number | undefined;
  close(): Promise<void>;
}

/** Connects to `url`, or to the server that runs on `folder`, started if need be (architecture 3). */
export async function openMongo(url: string | undefined, folder: string): Promise<Mongo> {
  const mongod = url === undefined ? await startMongod(folder) : undefined;
  const address = mongod?.url ?? url!;
  try {
    const client = await MongoClient.connect(address, mongoOptions);
    return {
      url: address,
      client,
      pid: mongod?.pid,
      async close() {
        await client.close();
        await mongod?.stop();
      },
    };
  } catch (error) {
    await mongod?.stop();
    throw error;
  }
}

/** The database of a service: `tidings_registry`, `tidings_scheduler` … (architecture 2). */
export const databaseOf = (client: MongoClient, service: string, prefix = 'tidings'): Db =>
  client.db(`${prefix}_${service.replaceAll('-', '_')}`);
