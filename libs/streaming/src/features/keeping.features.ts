import { describe, expect, it } from '@jest/globals';
import { until } from '@tidings/testing';
import { type BrokerUnderTest, text, record, numbers } from './broker-under-test.ts';

export function keepingFeatures(test: BrokerUnderTest): void {
  const { declare, start, listen, lagOf } = test;

  describe('compaction', () => {
    it('keeps the newest record of each key in a compacted topic, for readers from the start', async () => {
      test.topic = declare('compacted');
      await start();
      for (const generation of numbers(0, 4)) {
        await test.broker.publish(
          test.topic,
          numbers(0, 20).map((i) => record(`key-${i}`, `${generation}`)),
        );
        await test.world.maintain(test.broker);
      }
      const { got, group: name } = await listen();
      await until(async () => (await lagOf(name)) === 0);
      const newest = new Map(got.map((one) => [one.key, text(one)]));
      expect(newest).toEqual(new Map(numbers(0, 20).map((i) => [`key-${i}`, '3'])));
    });
  });
}
