import { describe, expect, it } from '@jest/globals';
import { bytesOf } from './bytes.ts';
import { Stamp } from './index.ts';

describe('bytesOf', () => {
  const stamps = [1n, 2n, 2n ** 53n].map((n) => ({ log: 'l'.repeat(Number(n % 700n) + 1), n, index: 3 }));

  it('writes what the type writes, and what it wrote before stays as it is', () => {
    const written = stamps.map((stamp) => bytesOf(Stamp, stamp));
    expect(written).toEqual(stamps.map((stamp) => Stamp.encode(stamp).finish()));
  });

  it('begins anew after a message that cannot be written', () => {
    expect(() => bytesOf(Stamp, { log: 'a', n: 2n, index: 2 ** 40 })).toThrow();
    expect(bytesOf(Stamp, stamps[1]!)).toEqual(Stamp.encode(stamps[1]!).finish());
  });
});
