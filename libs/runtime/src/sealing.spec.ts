import fc from 'fast-check';
import { open, seal } from './sealing.ts';

const masterKey = new Uint8Array(32).fill(9);
const place = { application: 'AAAAA-00001', field: 'ios_key_file' };

describe('sealed credentials', () => {
  it('open again, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (secret) => {
        expect(open(masterKey, place, seal(masterKey, place, secret)).equals(secret)).toBe(true);
      }),
    );
    expect(open(masterKey, place, seal(masterKey, place, 'pässword')).toString()).toBe('pässword');
  });

  it('show nothing, and look different each time', () => {
    const [first, second] = [seal(masterKey, place, 'PLANTED'), seal(masterKey, place, 'PLANTED')];
    expect(Buffer.from(first).includes('PLANTED')).toBe(false);
    expect(Buffer.from(first).equals(second)).toBe(false);
  });

  it('open in their own place only, with their own master key, and unaltered', () => {
    const sealed = seal(masterKey, place, 'secret');
    const altered = (at: number) => Uint8Array.from(sealed, (byte, i) => (i === at ? byte ^ 1 : byte));
    expect(() => open(masterKey, { ...place, application: 'AAAAA-00002' }, sealed)).toThrow('Internal error');
    expect(() => open(masterKey, { ...place, field: 'ios_key_password' }, sealed)).toThrow('Internal error');
    expect(() => open(new Uint8Array(32).fill(8), place, sealed)).toThrow('Internal error');
    for (let i = 0; i < sealed.length; i++) expect(() => open(masterKey, place, altered(i))).toThrow('Internal error');
    for (let i = 0; i < sealed.length; i++)
      expect(() => open(masterKey, place, sealed.subarray(0, i))).toThrow('Internal error');
  });
});
