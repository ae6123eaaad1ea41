import { describe, expect, it } from '@jest/globals';
import { until } from '@tidings/testing';
import { type BrokerUnderTest, text, records, numbers, newGroup, latch } from './broker-under-test.ts';

export function endingFeatures(test: BrokerUnderTest): void {
  const { declare, start, listen, lagOf } = test;

  describe('ending', () => {
    it('continues at its position after a restart', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', 1, 2, 3));
      const before = await listen();
      await until(() => before.got.length === 3);
      await test.broker.close();
      await start();
      expect(await test.broker.publish(test.topic, records('a', 4))).toEqual([{ partition: 0, offset: 3 }]);
      const after = await listen({ group: before.group });
      await until(() => after.got.length === 1);
      expect(after.texts()).toEqual(['4']);
    });

    it('stops after the handlers under way, and stores their progress', async () => {
      await start();
      const stuck = latch();
      const name = newGroup();
      await test.broker.publish(test.topic, records('a', ...numbers(0, 4)));
      let calls = 0;
      const before = await listen({ group: name, maxRecords: 2, onBatch: () => (calls++, stuck.released) });
      await until(() => calls === 1);
      let stopped = false;
      const stopping = before.stop().then(() => (stopped = true));
      await test.broker.publish(test.topic, records('a', 4));
      expect(stopped).toBe(false);
      stuck.release();
      await stopping;
      expect(before.texts()).toEqual(['0', '1']);
      await test.broker.close();
      await start();
      const after = await listen({ group: name });
      await until(() => after.got.length === 3);
      expect(after.texts()).toEqual(['2', '3', '4']);
    });

    it('redelivers handled records if the process died before it stored the offset', async () => {
      await start();
      const name = newGroup();
      await test.broker.publish(test.topic, records('a', 1, 2));
      const dying = test.broker;
      let handled: string[] = [];
      await listen({
        group: name,
        onBatch: async ({ records: batch }) => {
          handled = batch.map(text);
          await test.world.crash(dying);
        },
      });
      await until(() => handled.length > 0);
      await start();
      const after = await listen({ group: name });
      await until(() => after.got.length >= handled.length);
      expect(after.texts().slice(0, handled.length)).toEqual(handled);
    });

    it('keeps acknowledged records when the process dies', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', 1, 2));
      await test.world.crash(test.broker);
      await start();
      await test.broker.publish(test.topic, records('a', 3));
      const { texts } = await listen();
      await until(() => texts().length === 3);
      expect(texts()).toEqual(['1', '2', '3']);
    });

    it('lets handlers under way publish before it closes', async () => {
      const results = declare();
      await start();
      const stuck = latch();
      let calls = 0;
      const name = newGroup();
      await listen({
        group: name,
        onBatch: async () => {
          calls++;
          await stuck.released;
          await test.broker.publish(results, records('a', 'result'));
        },
      });
      await test.broker.publish(test.topic, records('a', 1));
      await until(() => calls === 1);
      const closing = test.broker.close();
      stuck.release();
      await closing;
      await start();
      const { texts } = await listen({ topics: [results] });
      await until(() => texts().length === 1);
      await listen({ group: name });
      expect(await lagOf(name)).toBe(0);
    });

    it('refuses to publish and subscribe once closed', async () => {
      await start();
      await test.broker.close();
      await expect(test.broker.publish(test.topic, records('a', 1))).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(listen()).rejects.toMatchObject({ kind: 'unavailable' });
    });
  });
}
