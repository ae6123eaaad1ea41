import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { sharedReads } from './shared-reads.ts';

describe('shared reads', () => {
  it('read the ids of all waiting calls once, after the last of them', async () => {
    const reads: string[][] = [];
    const read = sharedReads(async (ids) => {
      reads.push([...ids]);
      await turn();
      return new Map(ids.map((id) => [id, id.toUpperCase()]));
    });
    const first = read(['a']);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const others = await Promise.all([first, read(['b', 'c']), read(['c']), read([])]);
    expect(reads).toEqual([['a'], ['b', 'c']]);
    expect(others.map((found) => found.get('c'))).toEqual([undefined, 'C', 'C', undefined]);
  });

  it('read a limited number of ids at once, unless one call has more', async () => {
    const sizes: number[] = [];
    const read = sharedReads(
      async (ids) => {
        sizes.push(ids.length);
        return new Map<string, string>();
      },
      { maxIds: 2 },
    );
    await Promise.all([read(['a']), read(['b']), read(['c', 'd', 'e']), read(['f'])]);
    expect(sizes).toEqual([2, 3, 1]);
  });

  it('repeat a failed read call by call if one id may be the cause', async () => {
    const read = sharedReads(
      async (ids) => {
        if (ids.includes('bad')) throw new Error('bad');
        return new Map(ids.map((id) => [id, true]));
      },
      { mayBeOneItem: () => true },
    );
    const ends = await Promise.allSettled([read(['a']), read(['bad']), read(['b'])]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
