import { hkdfSync, type KeyObject } from 'node:crypto';
import {
  type IdentityKeys,
  identityKeysFrom,
  identityFromReport,
  newIdentityKeys,
  openIdentity,
  sealIdentity,
  reportKeys,
} from './identity-keys.ts';
import { masterKeyId } from './master-keys.ts';

const [one, two, three] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const bytesOf = (keys: IdentityKeys) =>
  Object.fromEntries(Object.entries(keys).map(([purpose, key]: [string, KeyObject]) => [purpose, key.export()]));

describe('identity keys', () => {
  const identity = newIdentityKeys();

  it('are one for each purpose; those of an earlier store are derived from its master key', () => {
    const derived = bytesOf(identityKeysFrom(one));
    expect(Object.keys(derived)).toEqual(['device', 'push-token', 'access-token', 'display', 'transaction', 'report']);
    for (const [purpose, key] of Object.entries(derived))
      expect(key).toEqual(Buffer.from(hkdfSync('sha256', one, '', `tidings/${purpose}`, 32)));
    const texts = [...Object.values(derived), ...Object.values(bytesOf(identity))].map((key) => key.toString('hex'));
    expect(new Set(texts).size).toBe(12);
  });

  it('open as they were sealed', () => {
    expect(bytesOf(openIdentity([two, one], sealIdentity([one], identity)))).toEqual(bytesOf(identity));
    expect(() => openIdentity([two], sealIdentity([one], identity))).toThrow(
      expect.objectContaining({ kind: 'unavailable' }) as Error,
    );
  });

  it('are shared only by processes with a common master key', () => {
    const reported = reportKeys([two, one], identity);
    expect(reported.id).toBe(masterKeyId(two));
    for (const keys of [[one], [two], [two, one], [one, two], [three, one]] as const)
      expect(bytesOf(identityFromReport(keys, reported)!)).toEqual(bytesOf(identity));
    expect(identityFromReport([three], reported)).toBeUndefined();
  });

  it('are derived if a service of an earlier version reports its master key alone', () => {
    const reported = { id: masterKeyId(one), identities: [] };
    expect(bytesOf(identityFromReport([two, one], reported)!)).toEqual(bytesOf(identityKeysFrom(one)));
    expect(identityFromReport([two], reported)).toBeUndefined();
  });
});
