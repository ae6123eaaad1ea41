import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@tidings/kernel';
import { bytesOf, databaseOf, isDuplicateKey, modelOf } from '@tidings/mongo';
import type { Db, MongoClient } from 'mongodb';
import { createOnce } from './data-folder.ts';
import { type IdentityKeys, identityKeysFrom, newIdentityKeys, openIdentity, sealIdentity } from './identity-keys.ts';
import { checkValueOf, idOf, KEY_BYTES, masterKeyId, type MasterKeys, masterKeysOf } from './master-keys.ts';
import { type KeysDocument, masterKeyModel } from './storage/master-key.schema.ts';

export interface DeploymentKeys {
  readonly master: MasterKeys;
  readonly identity: IdentityKeys;
  readonly rotation?: Rotation | undefined;
}

export interface Rotation {
  /** False if another process has the keys in the other order. */
  isToCurrent(): Promise<boolean>;
  /** Once every sealing service has called it, services start without the previous key. */
  finish(service: SealingService): Promise<void>;
}

const sealingServices = ['registry', 'webhooks'] as const;
export type SealingService = (typeof sealingServices)[number];

export const systemDatabase = (client: MongoClient, prefix?: string): Db => databaseOf(client, 'system', prefix);

const keysIn = (system: Db) => modelOf(system, masterKeyModel);

const stored = (system: Db): Promise<KeysDocument | null> => keysIn(system).findOne().lean<KeysDocument | null>();

async function storedOrCreated(system: Db, master: MasterKeys): Promise<KeysDocument> {
  const found = await stored(system);
  if (found) return found;
  const identity = Buffer.from(sealIdentity([master[0]], newIdentityKeys()));
  try {
    await keysIn(system).create({ _id: 'check', value: checkValueOf(master[0]), identity });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  return storedOrCreated(system, master);
}

/** @throws Fault `argument` if a master key of the data is missing */
export async function openKeys(system: Db, master: MasterKeys, source = 'TIDINGS_MASTER_KEY'): Promise<DeploymentKeys> {
  for (;;) {
    const document = await storedOrCreated(system, master);
    for (const value of [document.value, ...(document.previous === undefined ? [] : [document.previous])])
      compareMasterKeys(master, idOf(value), source);
    const sealing = master.find((key) => checkValueOf(key) === document.value)!;
    const identity = document.identity ? openIdentity(master, bytesOf(document.identity)) : identityKeysFrom(sealing);
    if (document.identity && sealing === master[0])
      return { master, identity, rotation: master.length > 1 ? rotationIn(system, master) : undefined };
    await takeOver(system, document, master, identity);
  }
}

export async function masterKeyIdsIn(system: Db): Promise<string[]> {
  const document = await stored(system);
  return document ? [document.value, ...(document.previous === undefined ? [] : [document.previous])].map(idOf) : [];
}

export async function checkMasterKeys(system: Db, master: MasterKeys): Promise<void> {
  for (const id of await masterKeyIdsIn(system)) compareMasterKeys(master, id);
}

async function takeOver(system: Db, document: KeysDocument, [current]: MasterKeys, keys: IdentityKeys): Promise<void> {
  const { _id, value, identity } = document;
  const next = checkValueOf(current);
  const $set = {
    value: next,
    identity: Buffer.from(sealIdentity([current], keys)),
    ...(next !== value && { previous: value }),
  };
  const unchanged = { _id, value, identity: identity ? { $exists: true } : { $exists: false } };
  await keysIn(system).updateOne(unchanged, { $set, ...(next !== value && { $unset: { resealed: '' } }) });
}

function rotationIn(system: Db, [current]: MasterKeys): Rotation {
  const own = { _id: 'check', value: checkValueOf(current) } as const;
  return {
    isToCurrent: async () => (await keysIn(system).exists(own)) !== null,
    async finish(service) {
      const during = { ...own, previous: { $exists: true } };
      await keysIn(system).updateOne(during, { $addToSet: { resealed: service } });
      const done = { ...own, resealed: { $all: [...sealingServices] } };
      await keysIn(system).updateOne(done, { $unset: { previous: '', resealed: '' } });
    },
  };
}

/** For tests and stores from before identity keys. */
export const keysFrom = (masterKey: Uint8Array): DeploymentKeys => ({
  master: [masterKey],
  identity: identityKeysFrom(masterKey),
});

export function compareMasterKeys(master: MasterKeys, id: string, source = 'TIDINGS_MASTER_KEY'): void {
  if (master.some((key) => masterKeyId(key) === id)) return;
  throw Fault.argument(
    `${source}: the data was written with the master key ${id}, and this is the key ${masterKeyId(master[0])}`,
  );
}

export interface MasterKeySource {
  readonly folder: string;
  readonly configured?: Uint8Array | undefined;
  readonly previous?: Uint8Array | undefined;
  readonly system: Db;
}

/** Never replaces a missing key of existing data: a new one would lose all credentials. */
export async function openMasterKey({
  folder,
  configured,
  previous,
  system,
}: MasterKeySource): Promise<DeploymentKeys> {
  if (configured) return openKeys(system, masterKeysOf(configured, previous));
  const file = join(folder, 'master-key');
  // Before the file, which a concurrent first start creates first.
  const document = await stored(system);
  const fileExists = await readFile(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw Fault.unavailable(`${file} cannot be read: ${error.code}`, error);
    },
  );
  if (document && !fileExists && !(previous && checkValueOf(previous) === document.value)) {
    throw Fault.argument(
      `The data was written with the master key ${idOf(document.value)}, and no key is given: put ${file} back, or set TIDINGS_MASTER_KEY`,
    );
  }
  const { text } = await createOnce(file, () => randomBytes(KEY_BYTES).toString('base64'));
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) {
    throw Fault.unavailable(
      `${file} is damaged, it holds no key of ${KEY_BYTES} bytes: put it back from a copy${document ? '' : ', or remove it: nothing was written with it'}`,
    );
  }
  return openKeys(system, masterKeysOf(key, previous), file);
}
