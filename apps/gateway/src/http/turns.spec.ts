import { readInTurn, Turns } from './turns.ts';

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

describe('what is read in its turn', () => {
  it('is there until it is worked on, and no more of it than may be read at a time', async () => {
    const turns = { reading: new Turns(2), working: new Turns(1) };
    const read: number[] = [];
    const working: (() => void)[] = [];
    const all = [0, 1, 2, 3].map((n) =>
      readInTurn(
        turns,
        async () => void read.push(n),
        () => new Promise<void>((resolve) => working.push(resolve)),
      ),
    );
    for (const isRead of [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]) {
      await new Promise((resolve) => setImmediate(resolve));
      expect([read, working.length]).toEqual([isRead, 1]);
      working.pop()!();
    }
    await Promise.all(all);
  });

  it('gives its turns back where it cannot be read', async () => {
    const turns = { reading: new Turns(1), working: new Turns(1) };
    const failing = readInTurn(
      turns,
      () => Promise.reject(new Error('gone')),
      () => Promise.resolve(),
    );
    await expect(failing).rejects.toThrow('gone');
    await expect(
      readInTurn(
        turns,
        () => Promise.resolve(7),
        (n) => Promise.resolve(n),
      ),
    ).resolves.toBe(7);
  });
});
