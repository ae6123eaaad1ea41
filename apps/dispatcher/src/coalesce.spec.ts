import { describe, expect, it } from '@jest/globals';
import { coalesce } from './coalesce.ts';
import { Permits } from './permits.ts';

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

describe('permits', () => {
  const never = new Promise<void>(() => undefined);

  it('are given in the order of asking', async () => {
    const permits = new Permits(1);
    const order: number[] = [];
    const taken = [1, 2, 3].map(async (n) => {
      await permits.take(1, never);
      order.push(n);
      permits.release();
    });
    await Promise.all(taken);
    expect(order).toEqual([1, 2, 3]);
    expect(permits.used).toBe(0);
  });

  it('are given together, and nobody who asks for few gets past who waits for many', async () => {
    const permits = new Permits(4);
    await permits.take(2, never);
    const given: string[] = [];
    const many = permits.take(3, never).then(() => given.push('many'));
    const few = permits.take(1, never).then(() => given.push('few'));
    await Promise.resolve();
    expect(given).toEqual([]);
    permits.release();
    await Promise.all([many, few].slice(0, 1));
    expect(given).toEqual(['many']);
    permits.release();
    await few;
    expect(permits.used).toBe(4);
  });

  it('are waited for until it is too late, and then not lost', async () => {
    const permits = new Permits(2);
    await permits.take(2, never);
    const late = Promise.withResolvers<void>();
    const waiting = permits.take(2, late.promise);
    const behind = permits.take(1, never);
    permits.release();
    late.resolve();
    expect(await waiting).toBe(false);
    expect(await behind).toBe(true);
    permits.release();
    permits.release();
    expect(permits.used).toBe(0);
  });
});
