import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sipHash } from './sip-hash.ts';

const MASK = (1n << 64n) - 1n;
const rotated = (value: bigint, by: bigint): bigint => ((value << by) | (value >> (64n - by))) & MASK;

/** As in the paper, in 64-bit numbers. */
function reference(k0: bigint, k1: bigint, m: bigint): bigint {
  let [v0, v1, v2, v3] = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ];
  const rounds = (count: number): void => {
    for (let i = 0; i < count; i++) {
      v0 = (v0 + v1) & MASK;
      v1 = rotated(v1, 13n) ^ v0;
      v0 = rotated(v0, 32n);
      v2 = (v2 + v3) & MASK;
      v3 = rotated(v3, 16n) ^ v2;
      v0 = (v0 + v3) & MASK;
      v3 = rotated(v3, 21n) ^ v0;
      v2 = (v2 + v1) & MASK;
      v1 = rotated(v1, 17n) ^ v2;
      v2 = rotated(v2, 32n);
    }
  };
  for (const block of [m, 8n << 56n]) {
    v3 ^= block;
    rounds(2);
    v0 ^= block;
  }
  v2 ^= 0xffn;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

describe('SipHash-2-4', () => {
  it('has the published value for key 00 to 0f and message 00 to 07', () => {
    const key = Int32Array.of(0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c);
    expect(reference(0x0706050403020100n, 0x0f0e0d0c0b0a0908n, 0x0706050403020100n)).toBe(0x93f5f5799a932462n);
    expect(sipHash(key, 0x03020100, 0x07060504)).toBe(0x9a932462);
  });

  it('is the first half of the reference result for any key and message', () => {
    const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(fc.tuple(word, word, word, word), word, word, (key, low, high) => {
        const wide = (a: number, b: number): bigint => (BigInt(b) << 32n) | BigInt(a);
        const expected = reference(wide(key[0], key[1]), wide(key[2], key[3]), wide(low, high));
        expect(BigInt(sipHash(Int32Array.from(key), low, high))).toBe(expected & 0xffffffffn);
      }),
      { numRuns: 2000 },
    );
  });
});
