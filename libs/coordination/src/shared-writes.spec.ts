import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { sharedWrites } from './shared-writes.ts';

function recorded(mayBeOneItem?: () => boolean) {
  const writes: number[][] = [];
  const write = sharedWrites<number>(
    async (items) => {
      writes.push([...items]);
      await turn();
      if (items.includes(13)) throw new Error('13');
    },
    { maxItems: 4, ...(mayBeOneItem && { mayBeOneItem }) },
  );
  return { write, writes };
}

describe('shared writes', () => {
  it('write the items that arrived during a write together, in order', async () => {
    const { write, writes } = recorded();
    const first = write([1]);
    await new Promise((resolve) => setTimeout(resolve, 0));
    await Promise.all([first, write([2, 3]), write([]), write([4]), write([5, 6])]);
    expect(writes).toEqual([[1], [2, 3, 4], [5, 6]]);
  });

  it('write many items at once and alone', async () => {
    const { write, writes } = recorded();
    await Promise.all([write([1]), write([2, 3, 4, 5])]);
    expect(writes).toEqual([[2, 3, 4, 5], [1]]);
  });

  it('are repeated call by call if one item may be the cause', async () => {
    const { write, writes } = recorded(() => true);
    const ends = await Promise.allSettled([write([1]), write([13]), write([2])]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(writes).toEqual([[1, 13, 2], [1], [13], [2]]);
  });
});
