import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { Fault } from '@tidings/kernel';
import { KEY_BYTES, type MasterKeys, masterKeyId } from './master-keys.ts';
import { open, seal, type SealedPlace, sealedWith } from './sealing.ts';

/** Purposes of the keys, in storage order. */
const purposes = [
  // Hashes of hwids, and of the users in the indexes.
  'device',
  // The indexed form of push tokens, and of addresses.
  'push-token',
  // The stored form of API and device tokens.
  'access-token',
  // The encoded form of secrets in getApplication (R-RES19).
  'display',
  // The stored form of transactionIds.
  'transaction',
  // Binds a report to its push (R-C11, R-I30).
  'report',
] as const;

/** The purposes of identity keys; each has a separate key, so that a leaked key reveals nothing about the others. */
export type IdentityPurpose = (typeof purposes)[number];

/** The keys of keyed hashes in the stores. They last for the lifetime of a deployment, independent of its master key. */
export type IdentityKeys = Readonly<Record<IdentityPurpose, KeyObject>>;

const keysFor = (keyOf: (purpose: IdentityPurpose) => Uint8Array): IdentityKeys =>
  Object.fromEntries(purposes.map((purpose) => [purpose, createSecretKey(keyOf(purpose))])) as unknown as IdentityKeys;

/** The keys of a store from before identity keys: HKDF-SHA-256 of its master key. */
export const identityKeysFrom = (masterKey: Uint8Array): IdentityKeys =>
  keysFor((purpose) => Buffer.from(hkdfSync('sha256', masterKey, '', `tidings/${purpose}`, KEY_BYTES)));

/** The keys of a new store. */
export const newIdentityKeys = (): IdentityKeys => keysFor(() => randomBytes(KEY_BYTES));

const PLACE: SealedPlace = { application: '', field: 'identity keys' };

/** Identity keys as stored and sent: concatenated, encrypted with the first master key. */
export const sealIdentity = (master: MasterKeys, identity: IdentityKeys): Uint8Array =>
  seal(master, PLACE, Buffer.concat(purposes.map((purpose) => identity[purpose].export())));

/** Decrypts identity keys. @throws the Faults of {@link open}; `bug` for a box with other content */
export function openIdentity(master: MasterKeys, sealed: Uint8Array): IdentityKeys {
  const bytes = open(master, PLACE, sealed);
  if (bytes.length !== purposes.length * KEY_BYTES) throw Fault.bug('the box holds no identity keys');
  return keysFor((purpose) => {
    const at = purposes.indexOf(purpose) * KEY_BYTES;
    return bytes.subarray(at, at + KEY_BYTES);
  });
}

/** The keys as a service with a store reports them to one without. */
export interface ReportedKeys {
  /** Id of the current master key. */
  readonly id: string;
  /** The identity keys, encrypted once with each master key of the service; empty if they are derived from the master key. */
  readonly identities: readonly Uint8Array[];
}

export const reportKeys = (master: MasterKeys, identity: IdentityKeys) => ({
  id: masterKeyId(master[0]),
  identities: master.map((key) => Buffer.from(sealIdentity([key], identity))),
});

/** The identity keys that another service reported; undefined if they are encrypted with other master keys. */
export function identityFromReport(master: MasterKeys, { id, identities }: ReportedKeys): IdentityKeys | undefined {
  if (identities.length === 0) {
    const key = master.find((each) => masterKeyId(each) === id);
    return key && identityKeysFrom(key);
  }
  const box = identities.find((sealed) => master.some((key) => masterKeyId(key) === sealedWith(sealed)));
  return box && openIdentity(master, box);
}
