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
    expect(begun).toEqual([0, 1]);
    ends[0]!();
    await expect(all[0]).rejects.toThrow('failed');
    expect(begun).toEqual([0, 1, 2]);
    ends[2]!();
    await all[2];
    ends[1]!();
    ends[3]!();
    expect(await Promise.all(all.slice(1))).toEqual([1, 2, 3]);
  });
});
