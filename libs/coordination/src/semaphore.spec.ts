import { setImmediate as passed } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Fault } from '@tidings/kernel';
import { Semaphore } from './semaphore.ts';

describe('a semaphore', () => {
  it('admits work up to its limit, in order, whether the work fails or not', async () => {
    const semaphore = new Semaphore(2);
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const work = (n: number) => () => {
      started.push(n);
      return new Promise<number>((resolve, reject) => {
        ends[n] = n === 0 ? () => reject(new Error('failed')) : () => resolve(n);
      });
    };
    const all = [0, 1, 2, 3].map((n) => semaphore.run(work(n)));
    await passed();
    expect(started).toEqual([0, 1]);
    ends[0]!();
    await expect(all[0]).rejects.toThrow('failed');
    await passed();
    expect(started).toEqual([0, 1, 2]);
    ends[2]!();
    await all[2];
    await passed();
    ends[1]!();
    ends[3]!();
    expect(await Promise.all(all.slice(1))).toEqual([1, 2, 3]);
  });

  it('counts weights, and does not let heavy work be overtaken', async () => {
    const semaphore = new Semaphore(4);
    const ends: (() => void)[] = [];
    const started: string[] = [];
    const begin = async (name: string, weight: number): Promise<void> => {
      ends.push(await semaphore.acquire(weight));
      started.push(name);
    };
    await begin('a', 3);
    const waiting = [begin('b', 2), begin('c', 1), begin('d', 4)];
    expect([semaphore.hasWaiting, started]).toEqual([true, ['a']]);
    ends[0]!();
    await Promise.all(waiting.slice(0, 2));
    expect(started).toEqual(['a', 'b', 'c']);
    ends[1]!();
    ends[2]!();
    await waiting[2];
    expect([semaphore.hasWaiting, started]).toEqual([false, ['a', 'b', 'c', 'd']]);
  });

  it('refuses at once beyond the limit of waiting work, and admits it later', async () => {
    const semaphore = new Semaphore(1, 1);
    const release = await semaphore.acquire();
    const waiting = semaphore.acquire();
    const refused = await semaphore.run(async () => 'done').catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'unavailable' } satisfies Partial<Fault>);
    release();
    (await waiting)();
    expect(await semaphore.run(async () => 'done')).toBe('done');
  });
});
