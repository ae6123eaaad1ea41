import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { until } from './until.ts';

describe('a wait for a condition', () => {
  it.each([
    ['answers at once', (checks: number): boolean => checks === 3],
    ['takes its time', async (checks: number): Promise<boolean> => checks === 3],
  ])('ends with the first check that succeeds, if it %s', async (_, holds) => {
    let checks = 0;
    await until(() => holds(++checks));
    expect(checks).toBe(3);
  });

  it('names the condition that was not met in time', async () => {
    const sent = 2;
    await expect(until(() => sent > 3, { timeoutMs: 10 })).rejects.toThrow(/^in vain: .*sent > 3$/);
  });

  it('fails if the condition fails', async () => {
    const refused = new Error('refused');
    await expect(until(() => Promise.reject(refused))).rejects.toBe(refused);
  });

  it('takes at most about half of the time for checks', async () => {
    let checks = 0;
    const slow = async (): Promise<boolean> => {
      checks++;
      await delay(20);
      return false;
    };
    await expect(until(slow, { timeoutMs: 200 })).rejects.toThrow('in vain');
    // Without pauses there would be ten.
    expect(checks).toBeLessThanOrEqual(7);
  });
});
