import fc from 'fast-check';
import { masterKeyId, type MasterKeys } from './master-keys.ts';
import { open, reseal, seal, sealedWith } from './sealing.ts';

const [one, two] = [new Uint8Array(32).fill(9), new Uint8Array(32).fill(8)];
const masterKeys: MasterKeys = [one];
const rotated: MasterKeys = [two, one];
const context = { application: 'AAAAA-00001', field: 'ios_key_file' };
const otherContext = { ...context, application: 'AAAAA-00002' };
/** `secret`, sealed with the first key before boxes carried its id. */
const withoutId = Buffer.from(
  'AcmhRPd3ovMxOwrOG0xVoS5skXbqMXBD4rmtpjB7r6strw1uooCuXHaCZk32sDhzNoTh7GpjUj42GcZ8N/OIRjeKfao+Y2yhmjqZ1E0nhQ3kEctO8Y1/z01ro0rKRP8=',
  'base64',
);

describe('sealed credentials', () => {
  it('open again with any content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (secret) => {
        expect(open(masterKeys, context, seal(masterKeys, context, secret)).equals(secret)).toBe(true);
      }),
    );
    expect(open(masterKeys, context, seal(masterKeys, context, 'pässword')).toString()).toBe('pässword');
  });

  it('reveal nothing, and differ each time', () => {
    const [first, second] = [seal(masterKeys, context, 'PLANTED'), seal(masterKeys, context, 'PLANTED')];
    expect(Buffer.from(first).includes('PLANTED')).toBe(false);
    expect(Buffer.from(first).equals(second)).toBe(false);
  });

  it.each([
    ['with the id of their master key', seal(masterKeys, context, 'secret')],
    ['without one', withoutId],
  ])('open in their own place only, and unaltered: %s', (_, sealed) => {
    const altered = (at: number) => Uint8Array.from(sealed, (byte, i) => (i === at ? byte ^ 1 : byte));
    expect(open(masterKeys, context, sealed).toString()).toBe('secret');
    expect(() => open(masterKeys, otherContext, sealed)).toThrow('Internal error');
    expect(() => open(masterKeys, { ...context, field: 'ios_key_password' }, sealed)).toThrow('Internal error');
    for (let i = 0; i < sealed.length; i++) expect(() => open(masterKeys, context, altered(i))).toThrow();
    for (let i = 0; i < sealed.length; i++)
      expect(() => open(masterKeys, context, sealed.subarray(0, i))).toThrow('Internal error');
  });

  it('name their master key: the first one', () => {
    expect(sealedWith(seal(masterKeys, context, 'secret'))).toBe(masterKeyId(one));
    expect(sealedWith(seal(rotated, context, 'secret'))).toBe(masterKeyId(two));
    expect(sealedWith(withoutId)).toBeUndefined();
  });

  it('open with any of the master keys, with an id or without', () => {
    for (const sealed of [withoutId, seal(masterKeys, context, 'secret'), seal(rotated, context, 'secret')])
      for (const keys of [rotated, [one, two]] as const) expect(open(keys, context, sealed).toString()).toBe('secret');
  });

  it('wait for a missing master key, unless they name no key', () => {
    expect(() => open([two], context, seal(masterKeys, context, 'secret'))).toThrow(
      expect.objectContaining({
        kind: 'unavailable',
        internal: expect.stringContaining(masterKeyId(one)) as string,
      }) as Error,
    );
    expect(() => open([two], context, withoutId)).toThrow(expect.objectContaining({ kind: 'bug' }) as Error);
  });

  it('are sealed anew if they are not sealed with the first master key', () => {
    for (const sealed of [withoutId, seal(masterKeys, context, 'secret')]) {
      const resealedAgain = reseal(rotated, context, sealed)!;
      expect(open([two], context, resealedAgain).toString()).toBe('secret');
      expect(reseal(rotated, context, resealedAgain)).toBeUndefined();
    }
    expect(sealedWith(reseal(masterKeys, context, withoutId)!)).toBe(masterKeyId(one));
    expect(() => reseal(rotated, otherContext, withoutId)).toThrow('Internal error');
  });
});
