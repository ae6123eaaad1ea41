import { describe, expect, it } from '@jest/globals';
import { bytesOf } from './bytes.ts';
import { Stamp } from './index.ts';

describe('bytesOf', () => {
  const stamps = [1n, 2n, 2n ** 53n].map((position) => ({
    log: 'l'.repeat(Number(position % 700n) + 1),
    position,
    index: 3,
  }));

  it('writes the bytes of the type, and leaves earlier bytes unchanged', () => {
    const written = stamps.map((stamp) => bytesOf(Stamp, stamp));
    expect(written).toEqual(stamps.map((stamp) => Stamp.encode(stamp).finish()));
  });

  it('recovers from a message that cannot be written', () => {
    expect(() => bytesOf(Stamp, { log: 'a', position: 2n, index: 2 ** 40 })).toThrow();
    expect(bytesOf(Stamp, stamps[1]!)).toEqual(Stamp.encode(stamps[1]!).finish());
  });
});
