import { createHmac, hkdfSync } from 'node:crypto';

export const KEY_BYTES = 32;
const ID_CHARACTERS = 12;

/** The master keys of a process, each of 32 bytes: the first one encrypts, and all of them decrypt. There are two during a rotation. */
export type MasterKeys = readonly [Uint8Array, ...Uint8Array[]];

const checkValues = new WeakMap<Uint8Array, string>();

/** HMAC of a fixed text under a key derived from the master key, in hex: equal for equal keys, and reveals nothing about the key. */
export function checkValueOf(key: Uint8Array): string {
  let value = checkValues.get(key);
  if (value === undefined) {
    const derived = Buffer.from(hkdfSync('sha256', key, '', 'tidings/master-key-check', KEY_BYTES));
    value = createHmac('sha256', derived).update('tidings').digest('hex');
    checkValues.set(key, value);
  }
  return value;
}

export const idOf = (checkValue: string): string => checkValue.slice(0, ID_CHARACTERS);

/** The short id of a master key: equal for equal keys, and safe for logs, since it reveals nothing about the key. */
export const masterKeyId = (key: Uint8Array): string => idOf(checkValueOf(key));

/** The current master key, and the previous one if any. */
export const masterKeysOf = (current: Uint8Array, previous: Uint8Array | undefined): MasterKeys =>
  previous ? [current, previous] : [current];
