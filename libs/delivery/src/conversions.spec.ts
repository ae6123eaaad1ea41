import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  conversionRate,
  conversionsOf,
  CREDIT_SECONDS,
  creditsOf,
  type DeviceAction,
  type MessageOpen,
} from './conversions.ts';

const open = (message: string, second: number, position = 1): MessageOpen => ({
  position,
  platform: 1,
  message,
  second,
});
const action = (second: number, name = 'Buy', amount?: number, position = 1): DeviceAction => ({
  position,
  second,
  name,
  amount,
});
const credited = (opens: readonly MessageOpen[], actions: readonly DeviceAction[]): unknown[] =>
  creditsOf(opens, actions).map(({ message, name, hits, revenue }) => [message, name, hits, revenue]);

describe('credits (R-H6)', () => {
  it('go to the last message opened before the event', () => {
    const opens = [open('B', 200), open('A', 100)];
    expect(credited(opens, [action(99), action(150), action(250), action(260, 'Look')])).toEqual([
      ['A', 'Buy', 1, undefined],
      ['B', 'Buy', 1, undefined],
      ['B', 'Look', 1, undefined],
    ]);
  });

  it.each([
    [CREDIT_SECONDS, 1],
    [CREDIT_SECONDS + 1, 0],
    [0, 1],
    [-1, 0],
  ])('end 24 hours after the open, to the second: %i seconds after it', (after, count) =>
    expect(credited([open('A', 1000)], [action(1000 + after)])).toHaveLength(count),
  );

  it('belong to a device', () => expect(credited([open('A', 100, 1)], [action(150, 'Buy', 1, 2)])).toEqual([]));

  it('count the first open of a message only (R-C11)', () => {
    const opens = [open('A', 100), open('B', 200), open('A', 300)];
    expect(credited(opens, [action(350)])).toEqual([['B', 'Buy', 1, undefined]]);
  });

  it('sum amounts, and have no revenue without any', () => {
    const actions = [action(110, 'Buy', 5), action(120, 'Buy'), action(130, 'Buy', -2), action(140, 'Look')];
    expect(credited([open('A', 100)], actions)).toEqual([
      ['A', 'Buy', 3, 3],
      ['A', 'Look', 1, undefined],
    ]);
  });

  it('do not depend on the order of opens, nor on repeats', () => {
    const opens = fc.array(
      fc.record({
        position: fc.nat(2),
        platform: fc.constantFrom(1, 3),
        message: fc.constantFrom('A', 'B', 'C'),
        second: fc.nat(5).map((hours) => hours * 20_000),
      }),
    );
    const actions = fc.array(
      fc.record({
        position: fc.nat(2),
        second: fc.nat(8).map((hours) => hours * 20_000 + 1),
        name: fc.constantFrom('Buy', 'Look'),
        amount: fc.option(fc.nat(9), { nil: undefined }),
      }),
    );
    fc.assert(
      fc.property(opens, actions, fc.infiniteStream(fc.nat()), (given, done, random) => {
        const shuffled = [...given, ...given]
          .map((each) => ({ each, key: random.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ each }) => each);
        expect(creditsOf(shuffled, done)).toEqual(creditsOf(given, done));
        const hits = creditsOf(given, done).reduce((sum, credit) => sum + credit.hits, 0);
        expect(hits).toBeLessThanOrEqual(done.length);
      }),
    );
  });
});

describe('conversions', () => {
  it('are sums by name, in the order of names', () => {
    const credits = [
      { name: 'b', hits: 2, revenue: 1.5 },
      { name: 'a', hits: 1, revenue: undefined },
      { name: 'b', hits: 1, revenue: undefined },
      { name: 'b', hits: 1, revenue: 2 },
    ];
    expect(conversionsOf(credits)).toEqual([
      { name: 'a', hits: 1, revenue: undefined },
      { name: 'b', hits: 4, revenue: 3.5 },
    ]);
  });

  it('stay numbers that JSON has', () => {
    const huge = { name: 'a', hits: 1, revenue: Number.MAX_VALUE };
    expect(conversionsOf([huge, huge])[0]?.revenue).toBe(Number.MAX_VALUE);
  });

  it.each([
    [1, 3, 0.3333],
    [2, 3, 0.6667],
    [5, 2, 2.5],
    [3, 0, 0],
  ])('relate %i hits to %i opens', (hits, opens, rate) => expect(conversionRate(hits, opens)).toBe(rate));
});
