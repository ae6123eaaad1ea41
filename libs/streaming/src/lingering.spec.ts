import { describe, expect, it } from '@jest/globals';
import { lingerLeftMs } from './lingering.ts';

describe('lingerLeftMs', () => {
  it('waits only a moment for the first batch, and after a quiet time', () => {
    expect(lingerLeftMs(200, -Infinity, 1000)).toBe(20);
    expect(lingerLeftMs(200, 500, 1000)).toBe(20);
  });

  it('waits until the time has passed since the previous batch', () => {
    expect(lingerLeftMs(200, 1000, 1000)).toBe(200);
    expect(lingerLeftMs(200, 950, 1000)).toBe(150);
  });

  it('never waits longer than the limit', () => {
    expect(lingerLeftMs(5, -Infinity, 1000)).toBe(5);
    expect(lingerLeftMs(5, 1000, 1000)).toBe(5);
  });
});
