import { describe, expect, it } from '@jest/globals';
import { trendOf } from './trend.ts';

describe('the trend of a series', () => {
  it('is exact for a line', () => {
    expect(trendOf([10, 12, 14, 16])).toEqual({ mean: 13, slope: 2, error: 0 });
  });

  it('has no slope for values that go up and down about the same mean', () => {
    const { mean, slope } = trendOf([5, 7, 5, 5, 7, 5]);
    expect(mean).toBeCloseTo(17 / 3);
    expect(slope).toBeCloseTo(0);
  });

  it('includes the uncertainty of the slope', () => {
    const noise = [0, 3, -3, 2, -2, 1, -1, 0];
    const { slope, error } = trendOf(noise.map((value, i) => 100 + i + value));
    expect(Math.abs(slope - 1)).toBeLessThan(2 * error);
    expect(error).toBeGreaterThan(trendOf(noise.map((value, i) => 100 + i + value / 10)).error);
  });
});
