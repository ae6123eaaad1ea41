import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@tidings/kernel';
import { bytesOf, databaseOf, modelOf } from '@tidings/mongo';
import type { Db, MongoClient } from 'mongodb';
import { onceMade } from './data-folder.ts';
import { type IdentityKeys, identityKeysFrom, newIdentityKeys, openIdentity, sealIdentity } from './identity-keys.ts';
import { checkValueOf, idOf, KEY_BYTES, masterKeyId, type MasterKeys, masterKeysOf } from './master-keys.ts';
import { type KeysDocument, masterKeyModel } from './storage/master-key.schema.ts';

const DUPLICATE_KEY = 11000;

/** The keys of a deployment, as a service is opened with them. */
export interface DeploymentKeys {
  readonly master: MasterKeys;
  readonly identity: IdentityKeys;
  /** Undefined where no previous master key is named. */
  readonly rotation?: Rotation | undefined;
}

/** From one master key to another. */
export interface Rotation {
  /** Whether the store is sealed with the current master key of this process; if not, another process has the keys the other way around. */
  isToCurrent(): Promise<boolean>;
  /** Notes that nothing is sealed with the previous master key any more: from then on services start without it. */
  finish(): Promise<void>;
}

/**
 * Where the check value lies: one place for all services of a deployment, so that they are compared with each other, too. `prefix` begins the names
 * of its databases.
 */
export const systemDatabase = (client: MongoClient, prefix?: string): Db => databaseOf(client, 'system', prefix);

const keysIn = (system: Db) => modelOf(system, masterKeyModel);

const stored = (system: Db): Promise<KeysDocument | null> => keysIn(system).findOne().lean<KeysDocument | null>();

/** Stores the check value and new identity keys unless there are some, and answers what is stored. Of two first starts at once, one stores. */
async function storedOrMade(system: Db, master: MasterKeys): Promise<KeysDocument> {
  const found = await stored(system);
  if (found) return found;
  const identity = Buffer.from(sealIdentity([master[0]], newIdentityKeys()));
  try {
    await keysIn(system).create({ _id: 'check', value: checkValueOf(master[0]), identity });
  } catch (error) {
    if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
  }
  return storedOrMade(system, master);
}

/**
 * The keys of a deployment: the master keys, held against those that its data is sealed with, and the identity keys of its store, which the first
 * start makes. A current master key that the data is not sealed with yet takes over from then on.
 * @param source names where the current master key was given
 * @throws Fault `argument` with the ids of both keys where a master key is missing that data is sealed with
 */
export async function openKeys(system: Db, master: MasterKeys, source = 'TIDINGS_MASTER_KEY'): Promise<DeploymentKeys> {
  for (;;) {
    const known = await storedOrMade(system, master);
    for (const value of [known.value, ...(known.previous === undefined ? [] : [known.previous])])
      compareMasterKeys(master, idOf(value), source);
    const sealing = master.find((key) => checkValueOf(key) === known.value)!;
    const identity = known.identity ? openIdentity(master, bytesOf(known.identity)) : identityKeysFrom(sealing);
    if (known.identity && sealing === master[0])
      return { master, identity, rotation: master.length > 1 ? rotationIn(system, master) : undefined };
    await takeOver(system, known, master, identity);
  }
}

/** Makes the first master key the one that seals; all in one write, and only if nobody else has changed anything. */
async function takeOver(system: Db, known: KeysDocument, [current]: MasterKeys, keys: IdentityKeys): Promise<void> {
  const { _id, value, identity } = known;
  const next = checkValueOf(current);
  const $set = {
    value: next,
    identity: Buffer.from(sealIdentity([current], keys)),
    ...(next !== value && { previous: value }),
  };
  await keysIn(system).updateOne({ _id, value, identity: identity ? { $exists: true } : { $exists: false } }, { $set });
}

function rotationIn(system: Db, [current]: MasterKeys): Rotation {
  const own = { _id: 'check', value: checkValueOf(current) } as const;
  return {
    isToCurrent: async () => (await keysIn(system).exists(own)) !== null,
    finish: async () => void (await keysIn(system).updateOne(own, { $unset: { previous: '' } })),
  };
}

/** The keys of a store that was begun with this master key, when identities were keyed by it: for tests, and without a store. */
export const keysFrom = (masterKey: Uint8Array): DeploymentKeys => ({
  master: [masterKey],
  identity: identityKeysFrom(masterKey),
});

/**
 * Looks among master keys for the one with an id that the data, or another service, names.
 * @throws Fault `argument` with the ids of both where it is missing
 */
export function compareMasterKeys(master: MasterKeys, id: string, source = 'TIDINGS_MASTER_KEY'): void {
  if (master.some((key) => masterKeyId(key) === id)) return;
  throw Fault.argument(
    `${source}: the data was written with the master key ${id}, and this is the key ${masterKeyId(master[0])}`,
  );
}

/** What decides on the key: the folder that keeps it, and the data that it belongs to. */
export interface MasterKeyPlace {
  readonly folder: string;
  /** Of `TIDINGS_MASTER_KEY`. */
  readonly given?: Uint8Array | undefined;
  /** Of `TIDINGS_MASTER_KEY_PREVIOUS`. */
  readonly previous?: Uint8Array | undefined;
  readonly system: Db;
}

/**
 * The keys of a deployment whose master key is `TIDINGS_MASTER_KEY`, else the one of the data folder, which the first start makes and syncs; so
 * does a start of a rotation which finds the file moved away.
 * @throws Fault `argument` where a key is missing that the data is sealed with, or the file is gone while there is data: a new key would make all
 * sealed credentials worthless. Fault `unavailable` when the file holds no key.
 */
export async function openMasterKey({ folder, given, previous, system }: MasterKeyPlace): Promise<DeploymentKeys> {
  if (given) return openKeys(system, masterKeysOf(given, previous));
  const file = join(folder, 'master-key');
  // Before the file is looked for: a first start beside this one makes the file first.
  const known = await stored(system);
  const isThere = await readFile(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw Fault.unavailable(`${file} cannot be read: ${error.code}`, error);
    },
  );
  if (known && !isThere && !(previous && checkValueOf(previous) === known.value)) {
    throw Fault.argument(
      `The data was written with the master key ${idOf(known.value)}, and no key is given: put ${file} back, or set TIDINGS_MASTER_KEY`,
    );
  }
  const { text } = await onceMade(file, () => randomBytes(KEY_BYTES).toString('base64'));
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) throw Fault.unavailable(`${file} holds no key of ${KEY_BYTES} bytes`);
  return openKeys(system, masterKeysOf(key, previous), file);
}
