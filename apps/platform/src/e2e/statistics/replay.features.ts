import { beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken } from '@tidings/simulators';
import type { PlatformWorld } from '@tidings/testing';
import { ios, type MessagesUnderTest } from '../messages/testing/messages.ts';

const DAY = 86_400;

export function replayFeatures(test: MessagesUnderTest): void {
  const { sendOne, metricsOf } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  describe('a replay', () => {
    it('computes the same figures two months later, and answers from the former ones meanwhile', async () => {
      const application = await world.application();
      const token = (i: number): string => apnsToken(i === 3 ? 'dead' : 'accepted', 70_000 + i);
      await world.registerDevices(application, 4, (i) => ({ hwid: `r-${i}`, ...ios(token(i)) }));
      const code = await sendOne(application, { content: 'again' });
      await world.settle();
      const { hash } = world.simulators.ledger.of('apns').entries({ token: token(1), limit: 1 })[0]!;
      await world.call('pushStat', { application, hwid: 'r-1', hash });
      await world.settle();
      await world.advance(1);
      await world.call('postEvent', {
        application,
        hwid: 'r-1',
        event: 'Buy',
        attributes: { amount: 2, currency: 'eur' },
      });
      await world.settle();
      await world.advance(60 * DAY);
      await world.settle();
      const figures = async () => ({
        metrics: await metricsOf(application, code),
        totals: await world.call('totalsByIntervals', { message_code: code, platforms: [] }),
        funnel: (await world.call('getDeliveryFunnel', { message_code: code, platforms: [] })).channels,
      });
      const before = await figures();
      expect(before.totals.conversion.events).toMatchObject([{ name: 'Buy', hits: 1, revenue: 2 }]);
      for (const projection of ['statistics', 'conversions'] as const) {
        expect(await world.call('startReplay', { projection })).toMatchObject({ projection, state: 'running' });
        await expect(world.call('startReplay', { projection })).rejects.toMatchObject({ reply: { status: 409 } });
        expect(await figures()).toEqual(before);
        await world.settle();
        const { state, handled, total, skipped, topics, kept } = await world.call('lastReplay', {});
        expect({ state, skipped, kept }).toEqual({ state: 'done', skipped: 0, kept: null });
        expect(handled).toBe(total);
        expect(topics.find(({ topic }) => topic === 'tidings.reports')?.handled).toBeGreaterThan(0);
        expect(await figures()).toEqual(before);
      }
      await expect(world.call('startReplay', { projection: 'plans' })).rejects.toMatchObject({
        reply: { status: 400 },
      });
    });
  });
}
