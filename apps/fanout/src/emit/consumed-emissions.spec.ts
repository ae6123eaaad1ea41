import { describe, expect, it } from '@jest/globals';
import { dispatcherGroup } from '@tidings/delivery';
import { batchesTopic } from '@tidings/events';
import type { GroupLag } from '@tidings/streaming';
import { consumedEmissions } from './consumed-emissions.ts';

describe('the offsets that dispatchers have passed', () => {
  const topic = batchesTopic('apns', true);

  it('are requested once for each channel and lane', async () => {
    const lagCalls: string[] = [];
    let committed = 5;
    const consumed = consumedEmissions({
      async lag(group): Promise<GroupLag[]> {
        lagCalls.push(group);
        return group === dispatcherGroup('apns', 'direct') ? [{ topic, partition: 3, committed, end: 9 }] : [];
      },
      ends: async () => [9, 9, 9, 9, 9],
    });
    const [direct, again] = await Promise.all([consumed('apns', 'direct'), consumed('apns', 'direct')]);
    committed = 9;
    const later = await consumed('apns', 'direct');
    const broadcast = await consumed('apns', 'broadcast');
    expect(lagCalls).toEqual([dispatcherGroup('apns', 'direct'), dispatcherGroup('apns', 'broadcast')]);
    for (const isConsumed of [direct, again, later]) {
      expect([4, 5].map((offset) => isConsumed({ partition: 3, offset }))).toEqual([true, false]);
      expect(isConsumed({ partition: 4, offset: 0 })).toBe(false);
    }
    expect(broadcast({ partition: 3, offset: 0 })).toBe(false);
  });

  it.each([
    ['it was made anew since', [{ topic, partition: 3, committed: 0, end: 2 }]],
    ['it was made anew, and dispatchers have handled nothing of it yet', []],
  ])('include those that the topic does not contain: %s', async (_, lag: GroupLag[]) => {
    const consumed = consumedEmissions({ lag: async () => lag, ends: async () => [0, 0, 0, 2] });
    const isConsumed = await consumed('apns', 'direct');
    expect([1, 2, 700].map((offset) => isConsumed({ partition: 3, offset }))).toEqual([false, true, true]);
  });
});
