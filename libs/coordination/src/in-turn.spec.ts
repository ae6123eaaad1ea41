import { describe, expect, it } from '@jest/globals';
import { inTurn } from './in-turn.ts';

describe('work on items in turn', () => {
  it('is done on the items after a failed one, and fails with the first failure', async () => {
    const done: number[] = [];
    const work = async (item: number): Promise<void> => {
      done.push(item);
      if (item % 2 === 0) throw new Error(String(item));
    };
    await expect(inTurn([1, 2, 3, 4, 5], work, new AbortController().signal)).rejects.toThrow('2');
    expect(done).toEqual([1, 2, 3, 4, 5]);
  });

  it('ends when it is aborted', async () => {
    const done: number[] = [];
    const stopping = new AbortController();
    const work = async (item: number): Promise<void> => {
      done.push(item);
      if (item === 2) stopping.abort();
    };
    await inTurn([1, 2, 3], work, stopping.signal);
    expect(done).toEqual([1, 2]);
  });
});
