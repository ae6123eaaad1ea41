import { expect, it } from '@jest/globals';
import { withoutTrailingSlashes } from './trailing-slashes.ts';

it.each([
  ['', ''],
  ['///', ''],
  ['/a//b//', '/a//b'],
  ['https://a', 'https://a'],
])('the slashes at the end of %j are removed', (text, shorter) => expect(withoutTrailingSlashes(text)).toBe(shorter));

it('slashes elsewhere take a linear time', () => {
  const text = (count: number): string => `${'/'.repeat(count)}x`;
  const cpuOf = (count: number): number => {
    const before = process.cpuUsage();
    for (let i = 0; i < 100; i++) expect(withoutTrailingSlashes(text(count)).length).toBe(count + 1);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  cpuOf(50_000);
  expect(cpuOf(100_000)).toBeLessThan(3 * cpuOf(50_000) + 10_000);
});
