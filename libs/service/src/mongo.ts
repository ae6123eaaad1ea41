import { Fault } from '@tidings/kernel';
import { mongoOptions } from '@tidings/runtime';
import { MongoClient, MongoServerError } from 'mongodb';

/** A socket that is silent for so long is given up: what runs on it is repeated on another one. Longer than any statement takes. */
const SOCKET_TIMEOUT_MS = 20_000;

const AUTHENTICATION_FAILED = 18;

/** Errors of a setting, which no waiting mends. */
const isSetting = (error: unknown): boolean =>
  (error instanceof Error && /^Mongo(Parse|InvalidArgument|MissingCredentials)Error$/.test(error.name)) ||
  (error instanceof MongoServerError && error.code === AUTHENTICATION_FAILED);

/**
 * Connects to the replica set; resolves when it has a primary.
 * @throws Fault `unavailable` while it has none; Fault `argument` when the address or its credentials are wrong.
 */
export async function connectMongo(url: string): Promise<MongoClient> {
  try {
    const client = new MongoClient(url, { ...mongoOptions, socketTimeoutMS: SOCKET_TIMEOUT_MS });
    try {
      return await client.connect();
    } catch (error) {
      await client.close();
      throw error;
    }
  } catch (error) {
    if (isSetting(error)) throw new Fault('argument', `MONGO_URL: ${(error as Error).message}`, { cause: error });
    throw Fault.unavailable('MongoDB does not answer', error);
  }
}
