import { exactInteger } from './integers.ts';

it('exactInteger gives equal integers one form, and does not change fractions', () => {
  expect([5, 5n, 2 ** 53 - 1, 2n ** 53n - 1n, 1.5, Infinity].map(exactInteger)).toEqual([
    ...[5, 5, 2 ** 53 - 1, 2 ** 53 - 1, 1.5, Infinity],
  ]);
  expect([2 ** 53, 2n ** 53n, -(2 ** 53), -(2n ** 63n)].map(exactInteger)).toEqual([
    ...[2n ** 53n, 2n ** 53n, -(2n ** 53n), -(2n ** 63n)],
  ]);
});
