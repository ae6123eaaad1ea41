import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Bitmap } from './bitmap.ts';
import { PositionCounts } from './position-counts.ts';

const sparse = fc.uniqueArray(fc.oneof(fc.nat(70), fc.nat(65_535)), { maxLength: 40 });
/** Beyond 4,096 members a set has another form in memory. */
const dense = fc
  .record({ step: fc.integer({ min: 1, max: 9 }), from: fc.nat(100) })
  .map(({ step, from }) => Array.from({ length: 6_000 }, (_, i) => from + i * step));
const members = fc.oneof({ weight: 4, arbitrary: sparse }, { weight: 1, arbitrary: dense });
const change = fc.record({ members, digit: fc.nat(3), subtracts: fc.boolean() });

describe('PositionCounts', () => {
  it('counts like a number per position', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), fc.integer({ min: 1, max: 40 }), (changes, least) => {
        const counts = new PositionCounts();
        const expected = new Map<number, number>();
        for (const { members, digit, subtracts } of changes) {
          if (subtracts) counts.subtract(Bitmap.of(members));
          else counts.add(Bitmap.of(members), digit);
          for (const at of members) {
            const before = expected.get(at) ?? 0;
            expected.set(at, subtracts ? Math.max(0, before - 1) : before + 2 ** digit);
          }
        }
        const countedOften = [...expected].filter(([, count]) => count >= least).map(([at]) => at);
        expect(counts.atLeast(least).equals(Bitmap.of(countedOften))).toBe(true);
        expect(PositionCounts.of(counts.digits()).atLeast(least).equals(Bitmap.of(countedOften))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('has no position at a count beyond its digits', () => {
    const counts = PositionCounts.of([Bitmap.of([3])]);
    expect(counts.atLeast(1).positions()).toEqual(Uint16Array.of(3));
    expect(counts.atLeast(2).size).toBe(0);
    expect(counts.atLeast(2 ** 40).size).toBe(0);
  });

  it('keeps no leading zeros', () => {
    const counts = PositionCounts.of([Bitmap.empty, Bitmap.of([5])]);
    counts.subtract(Bitmap.of([5]));
    expect(counts.digits().map((set) => [...set.positions()])).toEqual([[5]]);
    counts.subtract(Bitmap.of([5]));
    counts.subtract(Bitmap.of([5]));
    expect(counts.digits()).toEqual([]);
  });
});
