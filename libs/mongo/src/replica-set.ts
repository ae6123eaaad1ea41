import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import { MongoClient, type MongoClientOptions, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { mongoOptions } from './mongo-options.ts';

const SELECTION_MS = 3_000;
const PRIMARY_TIMEOUT_MS = 4_000;
const AUTHENTICATION_FAILED = 18;

/** Without user, password and options. */
export const redactedMongoUrl = (url: string): string => url.replace(/^([^/]*)\/\/.*@/s, '$1//').replace(/\?.*/s, '');

/** @throws Fault `argument`, without the driver's text, which may contain the password */
export function newMongoClient(url: string, options: MongoClientOptions = {}): MongoClient {
  try {
    return new MongoClient(url, { ...mongoOptions, ...options });
  } catch {
    throw Fault.argument('MONGO_URL: must be an address of MongoDB');
  }
}

const initiate = (url: string): string => `mongosh "${redactedMongoUrl(url)}" --eval "rs.initiate()"`;

const notInitiated = (url: string, cause?: unknown): Fault =>
  Fault.unavailable(`MONGO_URL: the replica set at ${redactedMongoUrl(url)} is not initiated: ${initiate(url)}`, cause);

export function unreachable(url: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof MongoServerError && error.code === AUTHENTICATION_FAILED) {
    return Fault.argument('MONGO_URL: user or password are refused');
  }
  if (error instanceof MongoServerSelectionError) {
    const servers = [...(error.reason?.servers.values() ?? [])];
    if (servers.some(({ type }) => type === 'RSGhost')) return notInitiated(url, error);
  }
  return Fault.unavailable(`MONGO_URL: no primary of a replica set answers at ${redactedMongoUrl(url)}`, error);
}

export async function checkReplicaSet(client: MongoClient, url: string): Promise<void> {
  const hello = await client.db('admin').command({ isMaster: 1 });
  if (hello['setName'] !== undefined || hello['msg'] === 'isdbgrid') return;
  if (hello['isreplicaset'] === true) throw notInitiated(url);
  throw Fault.argument(
    `MONGO_URL: the server at ${redactedMongoUrl(url)} is no replica set: start it with --replSet rs0, then run ${initiate(url)}`,
  );
}

export async function tryReplicaSet(url: string): Promise<void> {
  const client = newMongoClient(url, { serverSelectionTimeoutMS: SELECTION_MS, connectTimeoutMS: SELECTION_MS });
  const timeout = new AbortController();
  const overdue = delay(PRIMARY_TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() => {
    throw Fault.unavailable(`MONGO_URL: no primary of a replica set answers at ${redactedMongoUrl(url)}`);
  });
  overdue.catch(() => undefined);
  const check = client.connect().then(() => checkReplicaSet(client, url));
  try {
    await Promise.race([check, overdue]);
  } catch (error) {
    throw unreachable(url, error);
  } finally {
    timeout.abort();
    check.catch(() => undefined);
    void client.close();
  }
}
