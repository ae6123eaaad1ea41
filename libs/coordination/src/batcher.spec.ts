import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { batcher } from './batcher.ts';

describe('a batcher', () => {
  it('processes together the items that arrived during the last group', async () => {
    const groups: number[][] = [];
    const { submit: double } = batcher(
      async (items: readonly number[]) => {
        groups.push([...items]);
        await turn();
        return items.map((item) => item * 2);
      },
      { maxItems: 3 },
    );
    const first = [1, 2].map(double);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const later = [3, 4, 5, 6].map(double);
    expect(await Promise.all([...first, ...later])).toEqual([2, 4, 6, 8, 10, 12]);
    expect(groups).toEqual([[1, 2], [3, 4, 5], [6]]);
  });

  it('takes the items of different tasks in a turn of the event loop, if configured', async () => {
    const groups: number[][] = [];
    const { submit } = batcher(async (items: readonly number[]) => (groups.push([...items]), items), {
      wholeTurn: true,
    });
    // Like sockets' callbacks: microtasks run in between.
    const promises = [turn().then(() => submit(1)), turn().then(() => submit(2))];
    expect(await Promise.all(promises)).toEqual([1, 2]);
    expect(groups).toEqual([[1, 2]]);
  });

  it('takes the items of several turns, if configured', async () => {
    const groups: number[][] = [];
    const { submit } = batcher(async (items: readonly number[]) => (groups.push([...items]), items), {
      gatherMs: 500,
    });
    const first = submit(1);
    await turn();
    await turn();
    await Promise.all([first, submit(2)]);
    expect(groups).toEqual([[1, 2]]);
  });

  it('begins no batch within the interval after the last one, and waits for nothing before the first', async () => {
    const groups: number[][] = [];
    const { submit } = batcher(async (items: readonly number[]) => (groups.push([...items]), items), {
      minIntervalMs: 500,
    });
    await submit(1);
    const second = submit(2);
    await turn();
    await Promise.all([second, submit(3)]);
    expect(groups).toEqual([[1], [2, 3]]);
  });

  it('fails a group as a whole and continues', async () => {
    const { submit: run } = batcher(async (items: readonly number[]) => {
      if (items.includes(2)) throw new Error('two');
      return items;
    });
    const ends = await Promise.allSettled([run(1), run(2)]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await run(3)).toBe(3);
  });

  it('bounds the size of a group, and processes a larger item alone', async () => {
    const groups: number[][] = [];
    const { submit } = batcher(
      async (items: readonly number[]) => {
        groups.push([...items]);
        return items;
      },
      { sizeOf: (item) => item, maxSize: 100 },
    );
    await Promise.all([60, 40, 1, 500, 1].map(submit));
    expect(groups).toEqual([[60, 40], [1], [500], [1]]);
  });

  it('repeats a failed group item by item if one item may be the cause, in order', async () => {
    const groups: number[][] = [];
    const { submit } = batcher(
      async (items: readonly number[]) => {
        groups.push([...items]);
        if (items.includes(2)) throw new Error(items.length > 1 ? 'group' : 'item');
        return items;
      },
      { mayBeOneItem: (error) => (error as Error).message === 'group' },
    );
    const ends = await Promise.allSettled([1, 2, 3].map(submit));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(groups).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it('is drained when nothing waits or is under way, after failures too', async () => {
    const open = new Set<number>();
    const { submit, drained } = batcher(async (items: readonly number[]) => {
      await turn();
      for (const item of items) open.delete(item);
      if (items.includes(2)) throw new Error('two');
      return items;
    });
    await drained();
    const ends = Promise.allSettled(
      [1, 2].map((item) => {
        open.add(item);
        return submit(item);
      }),
    );
    await drained();
    expect(open.size).toBe(0);
    await ends;
  });
});
