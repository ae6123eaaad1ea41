import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dropSeen, type SeenPlaces, type Stamp } from './seen.ts';

const stamp = (position: number, index = 0, log = 'things-1'): Stamp => ({ log, position, index });
const itself = (fact: Stamp): Stamp => fact;

describe('dropSeen', () => {
  it('drops repeated facts, log by log', () => {
    const first = dropSeen({}, [stamp(1), stamp(2), stamp(1, 0, 'things-2')], itself);
    expect(first.fresh).toHaveLength(3);
    const again = dropSeen(first.seen, [stamp(2), stamp(3), stamp(1, 0, 'things-2')], itself);
    expect(again.fresh).toEqual([stamp(3)]);
  });

  it('distinguishes the facts of one commit, also over batches', () => {
    const { seen } = dropSeen({}, [stamp(1, 0), stamp(1, 1)], itself);
    expect(dropSeen(seen, [stamp(1, 1), stamp(1, 2)], itself).fresh).toEqual([stamp(1, 2)]);
  });

  it('accepts positions as 64-bit integers, and refuses an index that would overlap the next commit', () => {
    const { seen } = dropSeen({}, [{ log: 'a', position: 7n, index: 0 }], itself);
    expect(dropSeen(seen, [stamp(7, 0, 'a'), stamp(8, 0, 'a')], itself).fresh).toEqual([stamp(8, 0, 'a')]);
    expect(() => dropSeen({}, [stamp(1, 65_536)], itself)).toThrow(RangeError);
  });

  it('passes each fact once, however a log is batched and repeated', () => {
    const cuts = fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 20 });
    fc.assert(
      fc.property(cuts, (batches) => {
        const facts = Array.from({ length: 21 }, (_, i) => stamp(1 + Math.floor(i / 3), i % 3));
        let seen: SeenPlaces = {};
        let handled = 0;
        const projected: Stamp[] = [];
        // Repeats go back, but no fact is left out.
        for (const [back, length] of [...batches, [0, 21] as const]) {
          const from = Math.max(0, handled - back);
          const batch = facts.slice(from, from + length);
          const result = dropSeen(seen, batch, itself);
          seen = result.seen;
          projected.push(...result.fresh);
          handled = Math.max(handled, from + batch.length);
        }
        expect(projected).toEqual(facts.slice(0, handled));
      }),
    );
  });
});
