import { describe, expect, it } from '@jest/globals';
import { dispatcherGroup } from '@tidings/delivery';
import { batchesTopic } from '@tidings/events';
import type { GroupLag } from '@tidings/streaming';
import { passedOnce } from './passed.ts';

describe('the offsets that dispatchers have passed', () => {
  const topic = batchesTopic('apns', true);

  it('are requested once for each channel and lane', async () => {
    const asked: string[] = [];
    let committed = 5;
    const passed = passedOnce({
      async lag(group): Promise<GroupLag[]> {
        asked.push(group);
        return group === dispatcherGroup('apns', 'direct') ? [{ topic, partition: 3, committed, end: 9 }] : [];
      },
      ends: async () => [9, 9, 9, 9, 9],
    });
    const [direct, again] = await Promise.all([passed('apns', 'direct'), passed('apns', 'direct')]);
    committed = 9;
    const later = await passed('apns', 'direct');
    const broadcast = await passed('apns', 'broadcast');
    expect(asked).toEqual([dispatcherGroup('apns', 'direct'), dispatcherGroup('apns', 'broadcast')]);
    for (const hasPassed of [direct, again, later]) {
      expect([4, 5].map((offset) => hasPassed({ partition: 3, offset }))).toEqual([true, false]);
      expect(hasPassed({ partition: 4, offset: 0 })).toBe(false);
    }
    expect(broadcast({ partition: 3, offset: 0 })).toBe(false);
  });

  it.each([
    ['it was made anew since', [{ topic, partition: 3, committed: 0, end: 2 }]],
    ['it was made anew, and dispatchers have handled nothing of it yet', []],
  ])('include those that the topic does not contain: %s', async (_, lag: GroupLag[]) => {
    const passed = passedOnce({ lag: async () => lag, ends: async () => [0, 0, 0, 2] });
    const hasPassed = await passed('apns', 'direct');
    expect([1, 2, 700].map((offset) => hasPassed({ partition: 3, offset }))).toEqual([false, true, true]);
  });
});
