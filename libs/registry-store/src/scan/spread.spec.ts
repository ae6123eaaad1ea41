import { expect, it } from '@jest/globals';
import { spread } from './spread.ts';

it.each([0, 1, 2, 3, 16, 97, 4096])('spread has each number below %d once', (count) => {
  expect([...spread(count)].toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i));
});

it('spread begins with numbers from everywhere', () => {
  const first = [...spread(1000)].slice(0, 20).toSorted((a, b) => a - b);
  const gaps = first.map((each, i) => (first[i + 1] ?? 1000) - each);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(150);
});
