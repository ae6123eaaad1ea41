import { describe, expect, it } from '@jest/globals';
import { failedAgain, type FailingPeriod, isTooLong } from './failing-period.ts';

const HOUR_MS = 3_600_000;

const after = (...hours: readonly number[]): FailingPeriod =>
  hours.reduce<FailingPeriod | undefined>((period, hour) => failedAgain(period, hour * HOUR_MS), undefined)!;

describe('a period of failures (R-EV5)', () => {
  it('is too long after 72 hours', () => {
    expect(after(1, 20, 40, 60)).toEqual({ since: HOUR_MS, last: 60 * HOUR_MS });
    expect(isTooLong(after(1, 20, 40, 60, 72.9))).toBe(false);
    expect(isTooLong(after(1, 20, 40, 60, 73))).toBe(true);
  });

  it('begins anew after a day without attempts', () => {
    expect(after(1, 20, 45)).toEqual({ since: 45 * HOUR_MS, last: 45 * HOUR_MS });
    expect(isTooLong(after(1, 74))).toBe(false);
  });
});
