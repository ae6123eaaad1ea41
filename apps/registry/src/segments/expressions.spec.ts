import { expect, it } from '@jest/globals';
import { ShiftedClock } from '@tidings/kernel';
import { compiledOf, type ExpressionsDeps } from './expressions.ts';

it('an expression with many calls of a large group is refused before it is built', async () => {
  const members = Array.from({ length: 1_000 }, (_, i) => `AAAAA-${String(i).padStart(5, '0')}`);
  let calls = 0;
  const group = {
    code: 'GGGGG-00001',
    get applications() {
      calls++;
      return members;
    },
  };
  const store = {
    groups: async () => [group],
    applications: async (codes: readonly string[]) => codes.map((code) => ({ account: 'a', code })),
    filtersByCode: async () => [],
  };
  const deps = { store, tags: { of: async () => ({}) }, clock: new ShiftedClock() } as unknown as ExpressionsDeps;
  const source = Array.from({ length: 3_800 }, () => 'G("GGGGG-00001")').join('+');
  const refused = compiledOf({ account: 'a', grant: undefined, source }, deps);
  await expect(refused).rejects.toMatchObject({
    message: 'too large with the segments and groups that it names',
  });
  expect(calls).toBeLessThan(50);
});
