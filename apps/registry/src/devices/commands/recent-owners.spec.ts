import { expect, it } from '@jest/globals';
import { RecentOwners } from './recent-owners.ts';

it('RecentOwners detects that another device of the application had the token', () => {
  const owners = new RecentOwners();
  expect(['a', 'a', 'b', 'b', 'a'].map((device) => owners.take('app', 't', device))).toEqual([
    false,
    false,
    true,
    false,
    true,
  ]);
  expect(owners.take('sibling', 't', 'b')).toBe(false);
});

it('RecentOwners remembers the newest tokens, and forgets the oldest', () => {
  const isKnown = (n: number): boolean => {
    const owners = new RecentOwners(10);
    for (let i = 0; i < 25; i++) owners.take('app', `t${i}`, 'a');
    return owners.take('app', `t${n}`, 'b');
  };
  expect(Array.from({ length: 10 }, (_, i) => isKnown(15 + i))).not.toContain(false);
  expect(isKnown(0)).toBe(false);
});
