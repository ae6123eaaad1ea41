import { describe, expect, it } from '@jest/globals';
import { remainingLingerMs } from './lingering.ts';

describe('lingerLeftMs', () => {
  it('waits only a moment for the first batch, and after a quiet time', () => {
    expect(remainingLingerMs(200, -Infinity, 1000)).toBe(20);
    expect(remainingLingerMs(200, 500, 1000)).toBe(20);
  });

  it('waits until the time has passed since the previous batch', () => {
    expect(remainingLingerMs(200, 1000, 1000)).toBe(200);
    expect(remainingLingerMs(200, 950, 1000)).toBe(150);
  });

  it('never waits longer than the limit', () => {
    expect(remainingLingerMs(5, -Infinity, 1000)).toBe(5);
    expect(remainingLingerMs(5, 1000, 1000)).toBe(5);
  });
});
