import type { MongoClient } from 'mongodb';
import { checkReplicaSet, newMongoClient, unreachable } from './replica-set.ts';

/** Longer than the slowest command of a service. */
const SOCKET_TIMEOUT_MS = 20_000;

/**
 * @param socketTimeoutMs 0 = none @throws Fault `unavailable` without a primary; `argument` for a wrong address, credentials or a standalone server
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
