import { createHmac, hkdfSync } from 'node:crypto';

export const KEY_BYTES = 32;
const ID_CHARACTERS = 12;

/** The first one encrypts, all decrypt. */
export type MasterKeys = readonly [Uint8Array, ...Uint8Array[]];

const checkValues = new WeakMap<Uint8Array, string>();

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

/** Safe for logs. */
export const masterKeyId = (key: Uint8Array): string => idOf(checkValueOf(key));

export const masterKeysOf = (current: Uint8Array, previous: Uint8Array | undefined): MasterKeys =>
  previous ? [current, previous] : [current];
