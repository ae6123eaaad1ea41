import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** What keys are derived for; each purpose has a key of its own, so that one leaked key tells nothing of the others. */
export type KeyPurpose =
  /** Ids of persons, and of the users in the indexes. */
  | 'device'
  /** The indexed form of push tokens. */
  | 'push-token'
  /** The stored form of API and device tokens. */
  | 'access-token'
  /** How getApplication shows what is secret (R-RES19). */
  | 'display'
  /** The stored form of transactionIds. */
  | 'transaction';

/** The key for one purpose, by HKDF-SHA-256 from the deployment's master key. Derive it once: derivation is slow, use is not. */
export const keyFor = (masterKey: Uint8Array, purpose: KeyPurpose): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', `tidings/${purpose}`, 32)));

/** The same 22 characters as the kernel's `hmacId`, in a seventh of its time: the key is imported once, and the parts go in together. */
export function keyedId(key: KeyObject, ...parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  return createHmac('sha256', key).update(text).digest().toString('base64url', 0, 16);
}

/** Who stands behind a hwid in an account: the same in all its applications. A user id has the same form, so that it is the person by default (R-RES3). */
export const personOf = (deviceKey: KeyObject, account: string, hwid: string): string =>
  keyedId(deviceKey, account, hwid);

/** The id of a person's device in one application: what documents and events call it. */
export const deviceIdOf = (application: string, person: string): string => `${application}:${person}`;

/** How many logs the devices of a deployment are spread over; fixed for its lifetime. */
export const DEVICE_LOGS = 64;

const SIXTETS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map((c, value) => [c, value]),
);

const sixtet = (person: string, index: number): number => SIXTETS.get(person.charAt(index)) ?? 0;

/** The number of the log that a person's devices belong to, 0 to 63: its first six bits. */
export const logOf = (person: string): number => sixtet(person, 0);

/** The name of that log. */
export const deviceLogOf = (person: string): string => `devices-${logOf(person)}`;

/** The person's first 24 bits: the check in the statistics hash (architecture 5). */
export const checkOf = (person: string): number =>
  (sixtet(person, 0) << 18) | (sixtet(person, 1) << 12) | (sixtet(person, 2) << 6) | sixtet(person, 3);
