import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { Fault } from '@tidings/kernel';
import { KEY_BYTES, type MasterKeys, masterKeyId } from './master-keys.ts';
import { open, seal, type SealedPlace, sealedWith } from './sealing.ts';

/** In the order in which they are stored. */
const purposes = [
  // Hashes of hwids, and of the users in the indexes.
  'device',
  // The indexed form of push tokens, and of addresses.
  'push-token',
  // The stored form of API and device tokens.
  'access-token',
  // How getApplication shows what is secret (R-RES19).
  'display',
  // The stored form of transactionIds.
  'transaction',
  // What binds a report to the push that it is about (R-C11, R-I30).
  'report',
] as const;

/** What identity keys are for; each purpose has a key of its own, so that one leaked key tells nothing of the others. */
export type IdentityPurpose = (typeof purposes)[number];

/** The keys of what the stores hold as keyed hashes. They stay for the lifetime of a deployment, whatever becomes of its master key. */
export type IdentityKeys = Readonly<Record<IdentityPurpose, KeyObject>>;

const keysFor = (keyOf: (purpose: IdentityPurpose) => Uint8Array): IdentityKeys =>
  Object.fromEntries(purposes.map((purpose) => [purpose, createSecretKey(keyOf(purpose))])) as unknown as IdentityKeys;

/** The keys of a store that was begun when identities were keyed by the master key: HKDF-SHA-256 from it. */
export const identityKeysFrom = (masterKey: Uint8Array): IdentityKeys =>
  keysFor((purpose) => Buffer.from(hkdfSync('sha256', masterKey, '', `tidings/${purpose}`, KEY_BYTES)));

/** The keys of a new store. */
export const newIdentityKeys = (): IdentityKeys => keysFor(() => randomBytes(KEY_BYTES));

const PLACE: SealedPlace = { application: '', field: 'identity keys' };

/** Identity keys as they are stored and sent: the keys one after the other, sealed with the first of the master keys. */
export const sealIdentity = (master: MasterKeys, identity: IdentityKeys): Uint8Array =>
  seal(master, PLACE, Buffer.concat(purposes.map((purpose) => identity[purpose].export())));

/** @throws the Faults of {@link open}; `bug` where the box holds other keys */
export function openIdentity(master: MasterKeys, sealed: Uint8Array): IdentityKeys {
  const bytes = open(master, PLACE, sealed);
  if (bytes.length !== purposes.length * KEY_BYTES) throw Fault.bug('the box holds no identity keys');
  return keysFor((purpose) => {
    const at = purposes.indexOf(purpose) * KEY_BYTES;
    return bytes.subarray(at, at + KEY_BYTES);
  });
}

/** What a service without a store is told of the keys by one that has it. */
export interface KeysTold {
  /** Of the current master key. */
  readonly id: string;
  /** The identity keys, sealed once with each master key that the service has; empty where they are derived from the master key. */
  readonly identities: readonly Uint8Array[];
}

export const tellKeys = (master: MasterKeys, identity: IdentityKeys) => ({
  id: masterKeyId(master[0]),
  identities: master.map((key) => Buffer.from(sealIdentity([key], identity))),
});

/** The identity keys that another service has told of; undefined where they are sealed with master keys that are not among these. */
export function identityTold(master: MasterKeys, { id, identities }: KeysTold): IdentityKeys | undefined {
  if (identities.length === 0) {
    const key = master.find((each) => masterKeyId(each) === id);
    return key && identityKeysFrom(key);
  }
  const box = identities.find((sealed) => master.some((key) => masterKeyId(key) === sealedWith(sealed)));
  return box && openIdentity(master, box);
}
