import { describe, expect, it } from '@jest/globals';
import { RecentParts } from './recent-parts.ts';

describe('RecentParts', () => {
  it('evicts the part that was written longest ago', () => {
    const recent = new RecentParts(2);
    recent.put('a', 'opened', { n: 1 });
    recent.put('b', 'opened', { n: 2 });
    recent.put('a', 'opened', recent.take('a', 'opened')!);
    recent.put('a', 'delivered', { n: 3 });
    expect(recent.has('b', 'opened')).toBe(false);
    expect(recent.take('a', 'opened')).toEqual({ n: 1 });
    expect(recent.take('a', 'delivered')).toEqual({ n: 3 });
  });

  it('does not have a part after it was taken', () => {
    const recent = new RecentParts(2);
    recent.put('a', 'opened', { n: 1 });
    recent.take('a', 'opened');
    expect(recent.has('a', 'opened')).toBe(false);
    expect(recent.take('a', 'opened')).toBeUndefined();
  });
});
