import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Bitmap } from './bitmap.ts';

/** Sparse, dense and runs, on both sides of the in-memory limit. */
const members = fc.oneof(
  fc.uniqueArray(fc.integer({ min: 0, max: 65_535 }), { maxLength: 300 }),
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: 65_535 }), fc.integer({ min: 1, max: 6000 })), { maxLength: 5 })
    .map((runs) => runs.flatMap(([from, length]) => Array.from({ length }, (_, i) => (from + i) & 0xffff))),
  fc.integer({ min: 1, max: 7 }).map((step) => Array.from({ length: Math.floor(65_536 / step) }, (_, i) => i * step)),
);
const sorted = (set: Iterable<number>): number[] => [...new Set(set)].sort((a, b) => a - b);

describe('Bitmap', () => {
  it('behaves as a set of numbers', () => {
    fc.assert(
      fc.property(members, members, (left, right) => {
        const [a, b] = [Bitmap.of(left), Bitmap.of(right)];
        const [setA, setB] = [new Set(left), new Set(right)];
        expect([...a.positions()]).toEqual(sorted(left));
        expect(a.size).toBe(setA.size);
        expect([...a.union(b).positions()]).toEqual(sorted([...left, ...right]));
        expect([...a.intersect(b).positions()]).toEqual(sorted(left.filter((x) => setB.has(x))));
        expect([...a.minus(b).positions()]).toEqual(sorted(left.filter((x) => !setB.has(x))));
        for (const x of [0, 1, 31, 32, 65_535, ...right.slice(0, 20)]) expect(a.has(x)).toBe(setA.has(x));
      }),
      { numRuns: 60 },
    );
  });

  it('unites many sets, and finds common members', () => {
    fc.assert(
      fc.property(fc.array(members, { maxLength: 4 }), (lists) => {
        const sets = lists.map((list) => Bitmap.of(list));
        const all = sorted(lists.flat());
        expect([...Bitmap.union(sets).positions()]).toEqual(all);
        expect(Bitmap.areDisjoint(sets)).toBe(sets.reduce((sum, { size }) => sum + size, 0) === all.length);
      }),
      { numRuns: 40 },
    );
    expect(Bitmap.areDisjoint([Bitmap.of([1, 3]), Bitmap.of([2, 4])])).toBe(true);
  });

  it('returns the rank of every member and splits by rank', () => {
    fc.assert(
      fc.property(members, fc.nat(70_000), fc.nat(70_000), (list, x, y) => {
        const set = Bitmap.of(list);
        const all = sorted(list);
        const [from, to] = x < y ? [x, y] : [y, x];
        expect([...set.slice(from, to).positions()]).toEqual(all.slice(from, to));
        const position = x & 0xffff;
        expect(set.rank(position)).toBe(all.filter((member) => member < position).length);
      }),
      { numRuns: 40 },
    );
  });

  it('is decoded from its bytes, of which there are at most 8,193', () => {
    fc.assert(
      fc.property(members, (list) => {
        const set = Bitmap.of(list);
        const bytes = set.encode();
        expect(bytes.length).toBeLessThanOrEqual(8193);
        expect(Bitmap.decode(bytes).equals(set)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('uses runs if they are smallest', () => {
    expect(Bitmap.of(Array.from({ length: 65_536 }, (_, i) => i)).encode()).toHaveLength(5);
    expect(Bitmap.of([7]).encode()).toHaveLength(3);
    expect(Bitmap.decode(new Uint8Array(0)).size).toBe(0);
    expect(() => Bitmap.decode(Uint8Array.of(9))).toThrow('unknown form');
  });
});
