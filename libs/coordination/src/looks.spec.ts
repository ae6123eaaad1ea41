import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { look } from './looks.ts';

describe('look', () => {
  const options = { name: 'work', log: pino({ level: 'silent' }) };
  const exclusive = { isHeld: true };
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('looks every 5 s among several processes', async () => {
    let looks = 0;
    const periodic = look(() => void looks++, { ...options, exclusive: undefined });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(looks).toBeGreaterThanOrEqual(10);
    await periodic.stop();
  });

  it('looks once after the start and rarely then where the data have no other process', async () => {
    let looks = 0;
    const periodic = look(() => void looks++, { ...options, exclusive });
    await jest.advanceTimersByTimeAsync(7_500);
    expect(looks).toBe(1);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(looks).toBeGreaterThanOrEqual(4);
    expect(looks).toBeLessThanOrEqual(6);
    await periodic.stop();
  });

  it('looks again within 7.5 s after a failure', async () => {
    let looks = 0;
    const periodic = look(
      async () => {
        looks++;
        throw new Error('no store');
      },
      { ...options, exclusive },
    );
    await jest.advanceTimersByTimeAsync(60_000);
    expect(looks).toBeGreaterThanOrEqual(8);
    await periodic.stop();
  });

  it('looks when it is called', async () => {
    let looks = 0;
    const periodic = look(() => void looks++, { ...options, exclusive });
    await periodic.now();
    expect(looks).toBe(1);
    periodic.within(10);
    await jest.advanceTimersByTimeAsync(10);
    expect(looks).toBe(2);
    await periodic.stop();
  });
});
