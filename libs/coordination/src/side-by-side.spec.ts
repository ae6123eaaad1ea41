import { describe, expect, it } from '@jest/globals';
import { sideBySide } from './side-by-side.ts';

const keyOf = (item: string): string => item;
const never = (): AbortSignal => new AbortController().signal;

const once = (...items: string[]) => {
  const left = [items];
  return async (): Promise<string[]> => left.shift() ?? [];
};

describe('interleaved work', () => {
  it('gives each item a step in turn', async () => {
    const done: string[] = [];
    const work = async function* (item: string) {
      for (let step = 0; step < (item === 'big' ? 5 : 2); step++) {
        done.push(`${item} ${step}`);
        yield;
      }
    };
    await sideBySide({ read: once('big', 'small'), keyOf, work, atOnce: 1 }, never());
    expect(done).toEqual(['big 0', 'small 0', 'big 1', 'small 1', 'big 2', 'big 3', 'big 4']);
  });

  it('begins with items that are read later, while the first are in progress', async () => {
    const ended: string[] = [];
    let isSmallDone = false;
    const reads = [['big'], ['big', 'small']];
    const work = async function* (item: string) {
      while (item === 'big' && !isSmallDone) {
        await new Promise(setImmediate);
        yield;
      }
      isSmallDone ||= item === 'small';
      ended.push(item);
    };
    await sideBySide({ read: async () => reads.shift() ?? [], keyOf, work, againMs: 1 }, never());
    expect(ended).toEqual(['small', 'big']);
  });

  it('continues with other items than a failed one, and fails with the first failure', async () => {
    const done: string[] = [];
    const work = async function* (item: string) {
      yield;
      done.push(item);
      if (item !== 'b') throw new Error(item);
    };
    await expect(sideBySide({ read: once('a', 'b', 'c'), keyOf, work }, never())).rejects.toThrow('a');
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('completes all items, also more than are started at a time', async () => {
    const left = new Set(Array.from({ length: 250 }, (_, i) => String(i)));
    const work = async function* (item: string) {
      yield;
      left.delete(item);
    };
    await sideBySide({ read: async () => [...left], keyOf, work }, never());
    expect(left.size).toBe(0);
  });

  it('ends the work of every item early when it is aborted', async () => {
    const stopping = new AbortController();
    const closed: string[] = [];
    const work = async function* (item: string) {
      try {
        for (;;) {
          yield;
          if (item === 'b') stopping.abort();
        }
      } finally {
        closed.push(item);
      }
    };
    await sideBySide({ read: once('a', 'b'), keyOf, work }, stopping.signal);
    expect(closed.sort()).toEqual(['a', 'b']);
  });
});
