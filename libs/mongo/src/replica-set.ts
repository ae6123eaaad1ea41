import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import { MongoClient, type MongoClientOptions, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { mongoOptions } from './mongo-options.ts';

/** Time limit of the search for a primary. */
const SELECTION_MS = 3_000;
/** The same, including preceding steps such as DNS. */
const PATIENCE_MS = 4_000;
const AUTHENTICATION_FAILED = 18;

/** The address for display: without user, password and options. */
export const shownMongoUrl = (url: string): string => url.replace(/^([^/]*)\/\/.*@/s, '$1//').replace(/\?.*/s, '');

/** Creates a client without connecting. @throws Fault `argument`: the driver's own text may contain the address with its password */
export function newMongoClient(url: string, options: MongoClientOptions = {}): MongoClient {
  try {
    return new MongoClient(url, { ...mongoOptions, ...options });
  } catch {
    throw Fault.argument('MONGO_URL: must be an address of MongoDB');
  }
}

const initiate = (url: string): string => `mongosh "${shownMongoUrl(url)}" --eval "rs.initiate()"`;

const notInitiated = (url: string, cause?: unknown): Fault =>
  Fault.unavailable(`MONGO_URL: the replica set at ${shownMongoUrl(url)} is not initiated: ${initiate(url)}`, cause);

/** The fault when no primary was found. */
export function unreachable(url: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof MongoServerError && error.code === AUTHENTICATION_FAILED) {
    return Fault.argument('MONGO_URL: user or password are refused');
  }
  if (error instanceof MongoServerSelectionError) {
    const servers = [...(error.reason?.servers.values() ?? [])];
    if (servers.some(({ type }) => type === 'RSGhost')) return notInitiated(url, error);
  }
  return Fault.unavailable(`MONGO_URL: no primary of a replica set answers at ${shownMongoUrl(url)}`, error);
}

/**
 * Checks that a connected client has found a replica set: multi-document commits and change streams need one.
 * @throws Fault `argument` for a standalone server; Fault `unavailable` for a replica set that is not initiated
 */
export async function checkReplicaSet(client: MongoClient, url: string): Promise<void> {
  const hello = await client.db('admin').command({ isMaster: 1 });
  if (hello['setName'] !== undefined || hello['msg'] === 'isdbgrid') return;
  if (hello['isreplicaset'] === true) throw notInitiated(url);
  throw Fault.argument(
    `MONGO_URL: the server at ${shownMongoUrl(url)} is no replica set: start it with --replSet rs0, then run ${initiate(url)}`,
  );
}

/** Looks for the replica set at an address, for at most 4 s. @throws Fault that explains the failure in one sentence, without a password */
export async function tryReplicaSet(url: string): Promise<void> {
  const client = newMongoClient(url, { serverSelectionTimeoutMS: SELECTION_MS, connectTimeoutMS: SELECTION_MS });
  const patience = new AbortController();
  const overdue = delay(PATIENCE_MS, undefined, { signal: patience.signal }).then(() => {
    throw Fault.unavailable(`MONGO_URL: no primary of a replica set answers at ${shownMongoUrl(url)}`);
  });
  overdue.catch(() => undefined);
  const looked = client.connect().then(() => checkReplicaSet(client, url));
  try {
    await Promise.race([looked, overdue]);
  } catch (error) {
    throw unreachable(url, error);
  } finally {
    patience.abort();
    // Operations in progress end with the client.
    looked.catch(() => undefined);
    void client.close();
  }
}
