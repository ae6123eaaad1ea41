import { Fault } from '@tidings/kernel';
import { mongoOptions } from '@tidings/runtime';
import { MongoClient, MongoServerError } from 'mongodb';

/** A socket that is silent for so long is given up: what runs on it is repeated on another one. Longer than any statement takes. */
const SOCKET_TIMEOUT_MS = 20_000;

const AUTHENTICATION_FAILED = 18;

/**
 * Connects to the replica set; resolves when it has a primary.
 * @throws Fault `unavailable` while it has none; Fault `argument` when the address or its credentials are wrong.
 */
export async function connectMongo(url: string): Promise<MongoClient> {
  const client = newClient(url);
  try {
    return await client.connect();
  } catch (error) {
    await client.close();
    const isRefused = error instanceof MongoServerError && error.code === AUTHENTICATION_FAILED;
    if (isRefused) throw Fault.argument('MONGO_URL: user or password are refused');
    throw Fault.unavailable('MongoDB does not answer', error);
  }
}

/** The driver's own words for what is wrong may repeat the address, password and all. */
function newClient(url: string): MongoClient {
  try {
    return new MongoClient(url, { ...mongoOptions, socketTimeoutMS: SOCKET_TIMEOUT_MS });
  } catch {
    throw Fault.argument('MONGO_URL: is no address of a MongoDB');
  }
}
