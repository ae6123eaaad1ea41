import { describe, expect, it } from '@jest/globals';
import { addressTexts, storedAddress } from './stored-address.ts';

const ascii = 'anna@xn--bcher-kva.example';
const unicode = 'anna@bücher.example';

describe('the stored form of an address (R-E1, R-E2)', () => {
  it.each([
    ['Anna+News@Example.com', 'anna+news@example.com'],
    ['Anna@Bücher.example', ascii],
    [ascii.toUpperCase(), ascii],
    // Hashes of stored addresses depend on unchanged ASCII text.
    ['anna', 'anna'],
    ['a@0x7f.1', 'a@0x7f.1'],
    ['a@xn--a.example', 'a@xn--a.example'],
    ['a b@ex%61mple.com', 'a b@ex%61mple.com'],
  ])('is derived from the address: %s, %s', (address, stored) => expect(storedAddress(address)).toBe(stored));

  it('was another one for an international domain in version 0.1', () => {
    expect(addressTexts('Anna@Bücher.example')).toEqual([ascii, unicode]);
    expect(addressTexts(ascii)).toEqual([ascii, unicode]);
    expect(addressTexts('Anna@example.com')).toEqual(['anna@example.com']);
    expect(addressTexts('anna@ｅxample。com')).toEqual(['anna@example.com', 'anna@ｅxample。com']);
    expect(addressTexts('a@xn--a.example')).toEqual(['a@xn--a.example']);
  });
});
