import fc from 'fast-check';
import { masterKeyId, type MasterKeys } from './master-keys.ts';
import { open, reseal, seal, sealedWith } from './sealing.ts';

const [one, two] = [new Uint8Array(32).fill(9), new Uint8Array(32).fill(8)];
const masterKeys: MasterKeys = [one];
const rotated: MasterKeys = [two, one];
const place = { application: 'AAAAA-00001', field: 'ios_key_file' };
const elsewhere = { ...place, application: 'AAAAA-00002' };
/** `secret`, sealed with the first key before boxes carried its id. */
const withoutId = Buffer.from(
  'AcmhRPd3ovMxOwrOG0xVoS5skXbqMXBD4rmtpjB7r6strw1uooCuXHaCZk32sDhzNoTh7GpjUj42GcZ8N/OIRjeKfao+Y2yhmjqZ1E0nhQ3kEctO8Y1/z01ro0rKRP8=',
  'base64',
);

describe('sealed credentials', () => {
  it('open again with any content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (secret) => {
        expect(open(masterKeys, place, seal(masterKeys, place, secret)).equals(secret)).toBe(true);
      }),
    );
    expect(open(masterKeys, place, seal(masterKeys, place, 'pässword')).toString()).toBe('pässword');
  });

  it('reveal nothing, and differ each time', () => {
    const [first, second] = [seal(masterKeys, place, 'PLANTED'), seal(masterKeys, place, 'PLANTED')];
    expect(Buffer.from(first).includes('PLANTED')).toBe(false);
    expect(Buffer.from(first).equals(second)).toBe(false);
  });

  it.each([
    ['with the id of their master key', seal(masterKeys, place, 'secret')],
    ['without one', withoutId],
  ])('open in their own place only, and unaltered: %s', (_, sealed) => {
    const altered = (at: number) => Uint8Array.from(sealed, (byte, i) => (i === at ? byte ^ 1 : byte));
    expect(open(masterKeys, place, sealed).toString()).toBe('secret');
    expect(() => open(masterKeys, elsewhere, sealed)).toThrow('Internal error');
    expect(() => open(masterKeys, { ...place, field: 'ios_key_password' }, sealed)).toThrow('Internal error');
    for (let i = 0; i < sealed.length; i++) expect(() => open(masterKeys, place, altered(i))).toThrow();
    for (let i = 0; i < sealed.length; i++)
      expect(() => open(masterKeys, place, sealed.subarray(0, i))).toThrow('Internal error');
  });

  it('name their master key: the first one', () => {
    expect(sealedWith(seal(masterKeys, place, 'secret'))).toBe(masterKeyId(one));
    expect(sealedWith(seal(rotated, place, 'secret'))).toBe(masterKeyId(two));
    expect(sealedWith(withoutId)).toBeUndefined();
  });

  it('open with any of the master keys, with an id or without', () => {
    for (const sealed of [withoutId, seal(masterKeys, place, 'secret'), seal(rotated, place, 'secret')])
      for (const keys of [rotated, [one, two]] as const) expect(open(keys, place, sealed).toString()).toBe('secret');
  });

  it('wait for a missing master key, unless they name no key', () => {
    expect(() => open([two], place, seal(masterKeys, place, 'secret'))).toThrow(
      expect.objectContaining({
        kind: 'unavailable',
        internal: expect.stringContaining(masterKeyId(one)) as string,
      }) as Error,
    );
    expect(() => open([two], place, withoutId)).toThrow(expect.objectContaining({ kind: 'bug' }) as Error);
  });

  it('are sealed anew if they are not sealed with the first master key', () => {
    for (const sealed of [withoutId, seal(masterKeys, place, 'secret')]) {
      const anew = reseal(rotated, place, sealed)!;
      expect(open([two], place, anew).toString()).toBe('secret');
      expect(reseal(rotated, place, anew)).toBeUndefined();
    }
    expect(sealedWith(reseal(masterKeys, place, withoutId)!)).toBe(masterKeyId(one));
    expect(() => reseal(rotated, elsewhere, withoutId)).toThrow('Internal error');
  });
});
