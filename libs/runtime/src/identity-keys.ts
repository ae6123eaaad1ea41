import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { Fault } from '@tidings/kernel';
import { KEY_BYTES, type MasterKeys, masterKeyId } from './master-keys.ts';
import { open, seal, type SealContext, sealedWith } from './sealing.ts';

/** In storage order. */
const purposes = [
  'device',
  'push-token',
  'access-token',
  'display',
  'transaction',
  // Binds a report to its push (R-C11, R-I30).
  'report',
] as const;

export type IdentityPurpose = (typeof purposes)[number];

export type IdentityKeys = Readonly<Record<IdentityPurpose, KeyObject>>;

const keysFor = (keyOf: (purpose: IdentityPurpose) => Uint8Array): IdentityKeys =>
  Object.fromEntries(purposes.map((purpose) => [purpose, createSecretKey(keyOf(purpose))])) as unknown as IdentityKeys;

/** For stores from before identity keys. */
export const identityKeysFrom = (masterKey: Uint8Array): IdentityKeys =>
  keysFor((purpose) => Buffer.from(hkdfSync('sha256', masterKey, '', `tidings/${purpose}`, KEY_BYTES)));

export const newIdentityKeys = (): IdentityKeys => keysFor(() => randomBytes(KEY_BYTES));

const SEAL_CONTEXT: SealContext = { application: '', field: 'identity keys' };

export const sealIdentity = (master: MasterKeys, identity: IdentityKeys): Uint8Array =>
  seal(master, SEAL_CONTEXT, Buffer.concat(purposes.map((purpose) => identity[purpose].export())));

export function openIdentity(master: MasterKeys, sealed: Uint8Array): IdentityKeys {
  const bytes = open(master, SEAL_CONTEXT, sealed);
  if (bytes.length !== purposes.length * KEY_BYTES) throw Fault.bug('the box holds no identity keys');
  return keysFor((purpose) => {
    const at = purposes.indexOf(purpose) * KEY_BYTES;
    return bytes.subarray(at, at + KEY_BYTES);
  });
}

export interface ReportedKeys {
  readonly id: string;
  readonly identities: readonly Uint8Array[];
}

export const reportKeys = (master: MasterKeys, identity: IdentityKeys) => ({
  id: masterKeyId(master[0]),
  identities: master.map((key) => Buffer.from(sealIdentity([key], identity))),
});

export function identityFromReport(master: MasterKeys, { id, identities }: ReportedKeys): IdentityKeys | undefined {
  if (identities.length === 0) {
    const key = master.find((each) => masterKeyId(each) === id);
    return key && identityKeysFrom(key);
  }
  const box = identities.find((sealed) => master.some((key) => masterKeyId(key) === sealedWith(sealed)));
  return box && openIdentity(master, box);
}
