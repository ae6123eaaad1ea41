import type { MongoClient } from 'mongodb';
import { checkReplicaSet, newMongoClient, unreachable } from './replica-set.ts';

/** A socket that is silent for so long is given up: what runs on it is repeated on another one. Longer than any statement takes. */
const SOCKET_TIMEOUT_MS = 20_000;

/**
 * Connects to the replica set; resolves when it has a primary.
 * @throws Fault `unavailable` while it has none or is not initiated; Fault `argument` when the address or its credentials are wrong, or the
 * server runs alone.
 */
export async function connectMongo(url: string): Promise<MongoClient> {
  const client = newMongoClient(url, { socketTimeoutMS: SOCKET_TIMEOUT_MS });
  try {
    await client.connect();
    await checkReplicaSet(client, url);
    return client;
  } catch (error) {
    await client.close();
    throw unreachable(url, error);
  }
}
