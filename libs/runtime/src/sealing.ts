import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { Fault } from '@tidings/kernel';

/** Where a secret belongs: it opens nowhere else. */
export interface SealedPlace {
  readonly application: string;
  /** Name of the setting. */
  readonly field: string;
}

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const KEY_BYTES = 32;
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

const associatedData = ({ application, field }: SealedPlace): Buffer =>
  Buffer.from(`tidings\0${VERSION}\0${application.length}:${application}${field.length}:${field}`);

/**
 * Encrypts a stored credential: AES-256-GCM under a key of its own, which the master key wraps, both bound to application and field
 * (reliability 2). Sealing the same secret twice gives different bytes.
 */
export function seal(masterKey: Uint8Array, place: SealedPlace, plain: string | Uint8Array): Uint8Array {
  const associated = associatedData(place);
  const dataKey = randomBytes(KEY_BYTES);
  const wrapped = close(wrappingKey(masterKey), associated, dataKey);
  return Buffer.concat([Buffer.of(VERSION), wrapped, close(dataKey, associated, Buffer.from(plain))]);
}

/** The secret that was sealed. Throws a Fault `bug` for other places, other master keys, and altered bytes; its texts tell nothing of the secret. */
export function open(masterKey: Uint8Array, place: SealedPlace, sealed: Uint8Array): Buffer {
  if (sealed[0] !== VERSION || sealed.length < 1 + WRAPPED_BYTES + BOX_OVERHEAD) {
    throw Fault.bug(`credential ${place.field} of ${place.application} is not sealed`);
  }
  const associated = associatedData(place);
  try {
    const dataKey = disclose(wrappingKey(masterKey), associated, sealed.subarray(1, 1 + WRAPPED_BYTES));
    return disclose(dataKey, associated, sealed.subarray(1 + WRAPPED_BYTES));
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw Fault.bug(`credential ${place.field} of ${place.application} cannot be opened with this master key`);
  }
}
