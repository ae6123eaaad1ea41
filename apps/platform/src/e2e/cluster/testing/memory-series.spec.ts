import { describe, expect, it } from '@jest/globals';
import { MemorySeries } from './memory-series.ts';

const reading = (name: string, heapMb: number, { codeMb = 0, lagMs = 0, residentMb = 100 } = {}) => ({
  name,
  heapMb,
  codeMb,
  lagMs,
  residentMb,
});

describe('a series of memory', () => {
  it('follows the heaps at the ends of windows, over all processes, after the first third', () => {
    const series = new MemorySeries();
    for (const heap of [900, 500, 100, 101, 102, 103])
      series.add([reading('a', heap + 50)], [reading('a', heap), reading('b', 300)]);
    // 1 MB a window, of 401.5 MB in the middle.
    const { meanMb, slope, error } = series.heapTrend(60)!;
    expect(meanMb).toBeCloseTo(401.5);
    expect(slope).toBeCloseTo(6000 / 401.5);
    expect(error).toBeCloseTo(0);
  });

  it('separates the slope of compiled code', () => {
    const series = new MemorySeries();
    for (const grown of [0, 0, 0, 1, 2, 3]) series.add([], [reading('a', 100 + 3 * grown, { codeMb: 10 + grown })]);
    const { slope, codeSlope } = series.heapTrend(60)!;
    expect(slope).toBeCloseTo(3 * codeSlope);
    expect(series.heapSlopes(60)).toEqual([{ name: 'a', slopeMb: expect.closeTo(120), errorMb: expect.closeTo(0) }]);
  });

  it('names the slope of each process, the largest first', () => {
    const series = new MemorySeries();
    for (const heap of [900, 500, 100, 101, 102, 103])
      series.add([], [reading('a', 300 - heap), reading('b', 100), reading('c', heap)]);
    expect(series.heapSlopes(60)).toEqual([
      { name: 'c', slopeMb: 60, errorMb: expect.closeTo(0) },
      { name: 'b', slopeMb: 0, errorMb: 0 },
      { name: 'a', slopeMb: -60, errorMb: expect.closeTo(0) },
    ]);
  });

  it('has no trend of too few windows', () => {
    const series = new MemorySeries();
    for (let i = 0; i < 4; i++) series.add([], [reading('a', 100)]);
    expect(series.heapTrend(60)).toBeUndefined();
    expect(series.heapSlopes(60)).toEqual([]);
    series.add([], [reading('a', 100)]);
    expect(series.heapTrend(60)).toEqual({ meanMb: 100, slope: 0, error: 0, codeSlope: 0 });
  });

  it('contains the median delay of the slowest process, and the largest resident memory', () => {
    const series = new MemorySeries();
    const last = [reading('a', 1, { lagMs: 99, residentMb: 130 })];
    const slow = [10, 30, 20].map((lagMs) => reading('a', 1, { lagMs, residentMb: 120 }));
    series.add([...slow, reading('b', 1, { lagMs: 12, residentMb: 250 })], last);
    expect(series).toMatchObject({ delayMs: 20, residentMb: 250 });
  });
});
