import { describe, expect, it } from '@jest/globals';
import { until } from '@tidings/testing';
import { type BrokerUnderTest, HOUR_MS, text, record, records, numbers, latch } from './broker-under-test.ts';

export function housekeepingFeatures(test: BrokerUnderTest): void {
  const { declare, start, listen, lagOf } = test;

  describe('housekeeping', () => {
    it('trims work topics below the slowest group', async () => {
      test.topic = declare('work');
      await start();
      for (const n of numbers(0, 6)) await test.broker.publish(test.topic, records('a', n));
      const stuck = latch();
      const quick = await listen();
      const slow = await listen({
        maxRecords: 1,
        onBatch: ({ records: [first] }) => (first?.offset === 4 ? stuck.released : undefined),
      });
      await until(() => quick.got.length === 6 && slow.got.length === 4);
      await test.world.maintain(test.broker);
      const left = await listen();
      await until(() => left.got.length === 2);
      expect(left.texts()).toEqual(['4', '5']);
      stuck.release();
      await until(() => slow.got.length === 6);
      await test.world.maintain(test.broker);
      expect(await test.broker.publish(test.topic, records('a', 6))).toEqual([{ partition: 0, offset: 6 }]);
      const late = await listen();
      await until(() => late.got.length === 1);
      expect(late.texts()).toEqual(['6']);
    });

    it('numbers records after the trimmed ones, after a restart too', async () => {
      test.topic = declare('work');
      await start();
      await test.broker.publish(test.topic, records('a', 1, 2, 3));
      const { got } = await listen();
      await until(() => got.length === 3);
      await test.world.maintain(test.broker);
      await test.broker.close();
      await start();
      expect(await test.broker.publish(test.topic, records('a', 4))).toEqual([{ partition: 0, offset: 3 }]);
    });

    it('removes facts and work when they are too old by the clock', async () => {
      for (const kind of ['facts', 'work'] as const) {
        test.topic = declare(kind, 1, HOUR_MS);
        await start();
        await test.broker.publish(test.topic, records('a', 1, 2));
        test.world.clock.advance(HOUR_MS / 2);
        await test.broker.publish(test.topic, records('a', 3));
        const { texts } = await listen();
        await until(() => texts().length === 3);
        test.world.clock.advance(HOUR_MS / 2 + 1);
        await test.world.maintain(test.broker);
        const late = await listen();
        await until(() => late.got.length === (kind === 'work' ? 0 : 1));
        expect(late.texts()).toEqual(kind === 'work' ? [] : ['3']);
        await test.broker.close();
      }
    });

    it('keeps the newest record of each key in a compacted topic', async () => {
      test.topic = declare('compacted', 1, HOUR_MS);
      await start();
      const generations = 15;
      for (const generation of numbers(0, generations)) {
        await test.broker.publish(
          test.topic,
          numbers(0, 100).map((i) => record(`key-${i}`, `${generation}`)),
        );
      }
      test.world.clock.advance(24 * HOUR_MS);
      await test.world.maintain(test.broker);
      const { got, group: name } = await listen();
      await until(async () => (await lagOf(name)) === 0);
      expect(got.map(({ key }) => key)).toEqual(numbers(0, 100).map((i) => `key-${i}`));
      expect(new Set(got.map(text))).toEqual(new Set([`${generations - 1}`]));
      expect(got[0]?.offset).toBe((generations - 1) * 100);
    });
  });
}
