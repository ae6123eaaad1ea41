import { setImmediate as passed } from 'node:timers/promises';
import { Turns } from './turns.ts';

describe('turns', () => {
  it('are as many as there may be at a time, in order, whatever becomes of the work', async () => {
    const turns = new Turns(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (n: number) => () => {
      begun.push(n);
      return new Promise<number>((resolve, reject) => {
        ends[n] = n === 0 ? () => reject(new Error('failed')) : () => resolve(n);
      });
    };
    const all = [0, 1, 2, 3].map((n) => turns.take(work(n)));
    await passed();
    expect(begun).toEqual([0, 1]);
    ends[0]!();
    await expect(all[0]).rejects.toThrow('failed');
    await passed();
    expect(begun).toEqual([0, 1, 2]);
    ends[2]!();
    await all[2];
    await passed();
    ends[1]!();
    ends[3]!();
    expect(await Promise.all(all.slice(1))).toEqual([1, 2, 3]);
  });

  it('weigh, and one that is heavy is not overtaken for ever', async () => {
    const turns = new Turns(4);
    const ends: (() => void)[] = [];
    const begun: string[] = [];
    const begin = async (name: string, weight: number): Promise<void> => {
      ends.push(await turns.begin(weight));
      begun.push(name);
    };
    await begin('a', 3);
    const waiting = [begin('b', 2), begin('c', 1), begin('d', 4)];
    expect([turns.crowded, begun]).toEqual([true, ['a']]);
    ends[0]!();
    await Promise.all(waiting.slice(0, 2));
    expect(begun).toEqual(['a', 'b', 'c']);
    ends[1]!();
    ends[2]!();
    await waiting[2];
    expect([turns.crowded, begun]).toEqual([false, ['a', 'b', 'c', 'd']]);
  });
});
