import { describe, expect, it } from '@jest/globals';
import { connectionBudget } from './open-files.ts';

describe('the limit of open files', () => {
  it.each([
    [512, 256],
    [1_024, 768],
    [10_255, 9_999],
  ])('of %i leaves %i connections, and says so', (limit, maxConnections) => {
    const budget = connectionBudget(limit);
    expect(budget.maxConnections).toBe(maxConnections);
    expect(budget.warning).toContain(`${limit}, allows ${maxConnections} HTTP connections`);
  });

  it.each([10_256, 1_000_000, Infinity])('of %i is enough', (limit) => {
    expect(connectionBudget(limit)).toEqual({ maxConnections: 10_000, warning: undefined });
  });

  it('ends the start where it is too low', () => {
    expect(() => connectionBudget(511)).toThrow('The limit of open files is 511, and 512 are needed: ulimit -n 65536');
  });
});
