import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@tidings/kernel';
import type { Db, MongoClient } from 'mongodb';
import { onceMade } from './data-folder.ts';
import { databaseOf } from './mongo.ts';

const KEY_BYTES = 32;
const ID_CHARACTERS = 12;
const DUPLICATE_KEY = 11000;

interface CheckDocument {
  readonly _id: 'check';
  /** HMAC of a fixed text under a key that is derived from the master key, in hex. */
  readonly value: string;
}

function checkValueOf(key: Uint8Array): string {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'tidings/master-key-check', KEY_BYTES));
  return createHmac('sha256', derived).update('tidings').digest('hex');
}

const idOf = (value: string): string => value.slice(0, ID_CHARACTERS);

/** The short id of a master key: equal for equal keys, and fit for logs, since it tells nothing of the key. */
export const masterKeyId = (key: Uint8Array): string => idOf(checkValueOf(key));

/**
 * Where the check value lies: one place for all services of a deployment, so that they are compared with each other, too. `prefix` begins the names
 * of its databases.
 */
export const systemDatabase = (client: MongoClient, prefix?: string): Db => databaseOf(client, 'system', prefix);

const checksIn = (system: Db) => system.collection<CheckDocument>('masterKey');

/** The id of the key that data was written with; undefined where there is none yet. */
export async function storedMasterKeyId(system: Db): Promise<string | undefined> {
  const stored = await checksIn(system).findOne();
  return stored ? idOf(stored.value) : undefined;
}

/** Stores the check value unless there is one, and answers the one that is stored. Of two first starts at once, one stores. */
async function storeCheck(system: Db, value: string): Promise<string> {
  const checks = checksIn(system);
  const stored = await checks.findOne();
  if (stored) return stored.value;
  try {
    await checks.insertOne({ _id: 'check', value });
    return value;
  } catch (error) {
    if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
    return storeCheck(system, value);
  }
}

/**
 * Holds the master key against the one that the data was written with; the first start writes the check value.
 * @param source names where the key was given
 * @throws Fault `argument` with the ids of both keys where they differ
 */
export async function checkMasterKey(system: Db, key: Uint8Array, source = 'TIDINGS_MASTER_KEY'): Promise<void> {
  compareMasterKey(key, idOf(await storeCheck(system, checkValueOf(key))), source);
}

/**
 * Holds the master key against the id of the one that the data was written with.
 * @throws Fault `argument` with the ids of both keys where they differ
 */
export function compareMasterKey(key: Uint8Array, stored: string, source = 'TIDINGS_MASTER_KEY'): void {
  const given = masterKeyId(key);
  if (stored === given) return;
  throw Fault.argument(`${source}: the data was written with the master key ${stored}, and this is the key ${given}`);
}

/** What decides on the key: the folder that keeps it, and the data that it belongs to. */
export interface MasterKeyPlace {
  readonly folder: string;
  /** Of `TIDINGS_MASTER_KEY`. */
  readonly given?: Uint8Array | undefined;
  readonly system: Db;
}

/**
 * The key that the data is written with: `TIDINGS_MASTER_KEY`, else the one of the data folder, which the first start makes and syncs. It is
 * checked against the data.
 * @throws Fault `argument` where it is another one than that of the data, or the file is gone while there is data: a new key would make all sealed
 * credentials worthless, and every device unknown. Fault `unavailable` when the file holds no key.
 */
export async function openMasterKey({ folder, given, system }: MasterKeyPlace): Promise<Uint8Array> {
  if (given) {
    await checkMasterKey(system, given);
    return given;
  }
  const file = join(folder, 'master-key');
  const isThere = await readFile(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw Fault.unavailable(`${file} cannot be read: ${error.code}`, error);
    },
  );
  const stored = isThere ? undefined : await storedMasterKeyId(system);
  if (stored !== undefined) {
    throw Fault.argument(
      `The data was written with the master key ${stored}, and no key is given: put ${file} back, or set TIDINGS_MASTER_KEY`,
    );
  }
  const { text } = await onceMade(file, () => randomBytes(KEY_BYTES).toString('base64'));
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) throw Fault.unavailable(`${file} holds no key of ${KEY_BYTES} bytes`);
  await checkMasterKey(system, key, file);
  return key;
}
