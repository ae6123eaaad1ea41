import { describe, expect, it } from '@jest/globals';
import { coalesce } from './coalesce.ts';

describe('coalesced work', () => {
  it('does together what came while the last group was under way', async () => {
    const groups: number[][] = [];
    const double = coalesce(async (items: readonly number[]) => {
      groups.push([...items]);
      await new Promise((resolve) => setImmediate(resolve));
      return items.map((item) => item * 2);
    }, 3);
    const first = [1, 2].map(double);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const later = [3, 4, 5, 6].map(double);
    expect(await Promise.all([...first, ...later])).toEqual([2, 4, 6, 8, 10, 12]);
    expect(groups).toEqual([[1, 2], [3, 4, 5], [6]]);
  });

  it('fails a group as a whole and goes on', async () => {
    const run = coalesce(async (items: readonly number[]) => {
      if (items.includes(2)) throw new Error('two');
      return items;
    });
    const ends = await Promise.allSettled([run(1), run(2)]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await run(3)).toBe(3);
  });
});
