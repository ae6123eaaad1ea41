import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { Fault } from '@tidings/kernel';
import { KEY_BYTES, type MasterKeys, masterKeyId } from './master-keys.ts';

export interface SealContext {
  readonly application: string;
  readonly field: string;
}

const ALGORITHM = 'aes-256-gcm';
/** From before boxes had ids. */
const WITHOUT_ID = 1;
const WITH_ID = 2;
const ID_BYTES = 6;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const BOX_OVERHEAD = IV_BYTES + TAG_BYTES;
const WRAPPED_BYTES = KEY_BYTES + BOX_OVERHEAD;

const wrappingKeys = new WeakMap<Uint8Array, KeyObject>();

function wrappingKey(masterKey: Uint8Array): KeyObject {
  let key = wrappingKeys.get(masterKey);
  if (!key) {
    if (masterKey.length !== KEY_BYTES) throw Fault.bug('the master key must have 32 bytes');
    key = createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', 'tidings/credentials', KEY_BYTES)));
    wrappingKeys.set(masterKey, key);
  }
  return key;
}

/** Nonce, ciphertext, authentication tag. */
function close(key: KeyObject | Uint8Array, associated: Uint8Array, plain: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(associated);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function disclose(key: KeyObject | Uint8Array, associated: Uint8Array, box: Uint8Array): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, box.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(associated).setAuthTag(box.subarray(box.length - TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(IV_BYTES, box.length - TAG_BYTES)), decipher.final()]);
}

const associatedData = (version: number, { application, field }: SealContext): Buffer =>
  Buffer.from(`tidings\0${version}\0${application.length}:${application}${field.length}:${field}`);

/** AES-256-GCM under its own wrapped key, bound to application and field. */
export function seal([masterKey]: MasterKeys, context: SealContext, plain: string | Uint8Array): Uint8Array {
  const associated = associatedData(WITH_ID, context);
  const dataKey = randomBytes(KEY_BYTES);
  const wrapped = close(wrappingKey(masterKey), associated, dataKey);
  const head = [Buffer.of(WITH_ID), Buffer.from(masterKeyId(masterKey), 'hex')];
  return Buffer.concat([...head, wrapped, close(dataKey, associated, Buffer.from(plain))]);
}

export const sealedWith = (sealed: Uint8Array): string | undefined =>
  sealed[0] === WITH_ID ? Buffer.from(sealed.subarray(1, 1 + ID_BYTES)).toString('hex') : undefined;

const bodyOf = (sealed: Uint8Array): Uint8Array => sealed.subarray(sealed[0] === WITH_ID ? 1 + ID_BYTES : 1);

function openWith(masterKey: Uint8Array, context: SealContext, sealed: Uint8Array): Buffer | undefined {
  const associated = associatedData(sealed[0]!, context);
  const body = bodyOf(sealed);
  try {
    const dataKey = disclose(wrappingKey(masterKey), associated, body.subarray(0, WRAPPED_BYTES));
    return disclose(dataKey, associated, body.subarray(WRAPPED_BYTES));
  } catch (error) {
    if (error instanceof Fault) throw error;
    return undefined;
  }
}

interface Opened {
  readonly plain: Buffer;
  readonly masterKey: Uint8Array;
}

function openAny(masterKeys: MasterKeys, context: SealContext, sealed: Uint8Array): Opened {
  const name = `credential ${context.field} of ${context.application}`;
  const isSealed = sealed[0] === WITH_ID || sealed[0] === WITHOUT_ID;
  if (!isSealed || bodyOf(sealed).length < WRAPPED_BYTES + BOX_OVERHEAD) throw Fault.bug(`${name} is not sealed`);
  const id = sealedWith(sealed);
  const candidates = id === undefined ? masterKeys : masterKeys.filter((key) => masterKeyId(key) === id);
  if (candidates.length === 0)
    throw new Fault('unavailable', 'A credential is sealed with another master key', {
      internal: `${name} is sealed with the master key ${id}, which this process does not have`,
    });
  for (const masterKey of candidates) {
    const plain = openWith(masterKey, context, sealed);
    if (plain) return { plain, masterKey };
  }
  throw Fault.bug(`${name} cannot be opened with this master key`);
}

/** @throws Fault `unavailable` if a rotation has not reached this process */
export const open = (masterKeys: MasterKeys, context: SealContext, sealed: Uint8Array): Buffer =>
  openAny(masterKeys, context, sealed).plain;

export function reseal(masterKeys: MasterKeys, context: SealContext, sealed: Uint8Array): Uint8Array | undefined {
  if (sealedWith(sealed) === masterKeyId(masterKeys[0])) return undefined;
  return seal(masterKeys, context, openAny(masterKeys, context, sealed).plain);
}
