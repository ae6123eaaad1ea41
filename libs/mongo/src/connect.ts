import type { MongoClient } from 'mongodb';
import { checkReplicaSet, newMongoClient, unreachable } from './replica-set.ts';

/** Socket timeout, longer than the slowest command of a service; the operation is retried on another connection. */
const SOCKET_TIMEOUT_MS = 20_000;

/**
 * Connects to the replica set; resolves when it has a primary.
 * @param socketTimeoutMs 0 = none, for a program whose commands may scan a collection before they answer
 * @throws Fault `unavailable` while it has none or is not initiated; Fault `argument` for a wrong address or credentials, or a standalone server
 */
export async function connectMongo(url: string, socketTimeoutMs = SOCKET_TIMEOUT_MS): Promise<MongoClient> {
  const client = newMongoClient(url, { socketTimeoutMS: socketTimeoutMs });
  try {
    await client.connect();
    await checkReplicaSet(client, url);
    return client;
  } catch (error) {
    await client.close();
    throw unreachable(url, error);
  }
}
