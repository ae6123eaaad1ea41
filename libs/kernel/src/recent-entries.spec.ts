import { describe, expect, it } from '@jest/globals';
import { RecentEntries } from './recent-entries.ts';

describe('the recent entries of a map', () => {
  const mapAt = (time: { now: number }, atLeast = 100) =>
    new RecentEntries<number>({ atLeast, retentionMs: 10, now: () => time.now });

  it('are found until they are removed, each with its last value', () => {
    const entries = mapAt({ now: 0 });
    entries.set('a', 1);
    entries.set('b', 2);
    entries.set('a', 3);
    expect([entries.get('a'), entries.get('b'), entries.get('c'), entries.size]).toEqual([3, 2, undefined, 2]);
    expect([entries.has('a'), entries.has('c')]).toEqual([true, false]);
    entries.delete('a');
    expect([entries.get('a'), entries.get('b'), entries.size]).toEqual([undefined, 2, 1]);
  });

  it('are kept for their time, and at most twice as long while others are set', () => {
    const time = { now: 0 };
    const entries = mapAt(time);
    entries.set('first', 1);
    time.now = 9;
    entries.set('second', 2);
    time.now = 18;
    entries.set('third', 3);
    expect([entries.get('first'), entries.get('second')]).toEqual([1, 2]);
    time.now = 28;
    entries.set('fourth', 4);
    expect([entries.get('first'), entries.get('second'), entries.get('third')]).toEqual([undefined, undefined, 3]);
    time.now = 60;
    entries.set('fifth', 5);
    expect(entries.size).toBe(1);
  });

  it('are limited to twice the retained number', () => {
    const entries = mapAt({ now: 0 }, 10);
    for (let i = 0; i < 1000; i++) {
      entries.set(String(i), i);
      expect(entries.size).toBeLessThanOrEqual(20);
      expect(entries.get(String(Math.max(0, i - 9)))).toBeDefined();
    }
  });

  it('are removed from both generations', () => {
    const time = { now: 0 };
    const entries = mapAt(time);
    entries.set('a', 1);
    time.now = 10;
    entries.set('b', 2);
    entries.set('a', 3);
    entries.delete('a');
    expect(entries.get('a')).toBeUndefined();
    expect(entries.size).toBe(1);
  });
});
