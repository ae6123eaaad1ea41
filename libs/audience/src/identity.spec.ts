import { createHash, createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { defaultTagList, isSharedTag, tagNumber, tagTypeOf } from './default-tags.ts';
import { controlBucketOf } from './device/control-group.ts';
import { hwidCheckOf, canonicalContact, deviceLogOf, keyedId, logOf, hwidHashOf } from './identity.ts';

const key = createSecretKey(Buffer.alloc(32, 7));

describe('identity', () => {
  it('has keyed ids of 128 bits of HMAC-SHA-256 over the parts, each behind its length', () => {
    const reference = (parts: readonly string[]): string =>
      createHmac('sha256', key)
        .update(parts.map((part) => `${part.length}:${part}`).join(''))
        .digest()
        .toString('base64url', 0, 16);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 600 }), { maxLength: 4 }), (parts) => {
        expect(keyedId(key, ...parts)).toBe(reference(parts));
      }),
    );
  });

  it.each([
    ['Anna@Example.com', { hwid: 'anna@example.com', platform: 14 }],
    ['anna@example.com', undefined],
    ['CRM-1', undefined],
    ['49 151 12345678', { hwid: '+4915112345678', platform: 18 }],
    ['+4915112345678', undefined],
    ['whatsapp:4915112345678', { hwid: 'whatsapp:+4915112345678', platform: 21 }],
    ['whatsapp:+4915112345678', undefined],
    ['whatsapp:x', undefined],
  ])('finds a contact in another spelling of %s, or none: %j', (hwid, contact) =>
    expect(canonicalContact(hwid)).toEqual(contact),
  );

  it('takes log and check from the first bits of the hwid hash', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (hwid) => {
        const hwidHash = hwidHashOf(key, 'account', hwid);
        const bytes = Buffer.from(hwidHash, 'base64url');
        expect(logOf(hwidHash)).toBe(bytes[0]! >> 4);
        expect(hwidCheckOf(hwidHash)).toBe(bytes.readUIntBE(0, 3));
        expect(deviceLogOf(hwidHash)).toBe(`devices-${bytes[0]! >> 4}`);
      }),
    );
  });

  it('determines the control-group bucket as R-E15 specifies', () => {
    // First 8 bytes of the digest as one big number, modulo 10000.
    const expected = (text: string): number => {
      const digest = createHash('sha256').update(text).digest();
      return Number(digest.readBigUInt64BE(0) % 10_000n);
    };
    for (const user of ['u1', 'someone', ''])
      expect(controlBucketOf('AAAAA-BBBBB', user)).toBe(expected(`AAAAA-BBBBB:${user}`));
  });

  it('determines the type and the scope of a tag by its number', () => {
    for (let type = 1; type <= 7; type++) {
      expect(tagTypeOf(tagNumber(5, type, true))).toBe(type);
      expect(tagTypeOf(tagNumber(5, type, false))).toBe(type);
      expect(isSharedTag(tagNumber(5, type, false))).toBe(true);
      expect(isSharedTag(tagNumber(5, type, true))).toBe(false);
    }
    for (const { number, type } of defaultTagList) {
      expect(tagTypeOf(number)).toBe(type);
      expect(isSharedTag(number)).toBe(false);
    }
  });
});
