import { describe, expect, it } from '@jest/globals';
import { until } from '@tidings/testing';
import { type InRecord, DEAD_LETTER_TOPIC } from '../broker-port.ts';
import { type BrokerUnderTest, numbers, record, records, newGroup, keysOf, latch } from './broker-under-test.ts';

export function groupsFeatures(test: BrokerUnderTest): void {
  const { declare, start, listen, lagOf } = test;

  describe('groups', () => {
    it('shares the partitions among members, and again when one leaves', async () => {
      test.topic = declare('facts', 4);
      await start();
      const name = newGroup();
      const keys = keysOf(4);
      const one = await listen({ group: name });
      const two = await listen({ group: name });
      const partitionsOf = ({ got }: { got: InRecord[] }): Set<number> =>
        new Set(got.map(({ partition }) => partition));
      // Members join slowly: publish until one round gives work to both.
      await until(async () => {
        one.got.length = 0;
        two.got.length = 0;
        await test.broker.publish(
          test.topic,
          keys.map((key) => record(key, 'x')),
        );
        await until(async () => (await lagOf(name)) === 0);
        return partitionsOf(one).size > 0 && partitionsOf(two).size > 0;
      });
      one.got.length = 0;
      two.got.length = 0;
      await test.broker.publish(
        test.topic,
        keys.map((key) => record(key, 'y')),
      );
      await until(() => one.got.length + two.got.length === 4);
      expect([partitionsOf(one).size, partitionsOf(two).size]).toEqual([2, 2]);
      await one.stop();
      two.got.length = 0;
      await test.broker.publish(
        test.topic,
        keys.map((key) => record(key, 'z')),
      );
      await until(() => partitionsOf(two).size === 4);
      expect(two.texts()).toEqual(['z', 'z', 'z', 'z']);
    });

    it('refuses a member that subscribes to other topics than its group', async () => {
      const other = declare();
      await start();
      const name = newGroup();
      const first = await listen({ group: name, topics: [test.topic, other] });
      await listen({ group: name, topics: [other, test.topic] });
      for (const different of [[test.topic], [], [test.topic, other, DEAD_LETTER_TOPIC]]) {
        await expect(listen({ group: name, topics: different })).rejects.toMatchObject({ kind: 'argument' });
      }
      expect((await test.broker.lag(name)).map((lag) => lag.topic).toSorted()).toEqual([test.topic, other].toSorted());
      await first.stop();
      await expect(listen({ group: name })).rejects.toMatchObject({ kind: 'argument' });
    });

    it('accepts other topics for a group once its members have left', async () => {
      const other = declare();
      await start();
      const first = await listen();
      await first.stop();
      await test.broker.publish(other, records('a', 1));
      const second = await listen({ group: first.group, topics: [test.topic, other] });
      await until(() => second.got.length === 1);
    });

    it('handles partitions concurrently', async () => {
      test.topic = declare('facts', 2);
      await start();
      const stuck = latch();
      const keys = keysOf(2);
      await test.broker.publish(
        test.topic,
        keys.map((key) => record(key, key)),
      );
      const { got } = await listen({ onBatch: ({ partition }) => (partition === 0 ? stuck.released : undefined) });
      await until(() => got.length === 1);
      expect(got[0]?.partition).toBe(1);
      stuck.release();
      await until(() => got.length === 2);
    });

    it('removes an ephemeral group with its last member', async () => {
      await start();
      const name = newGroup();
      await test.broker.publish(test.topic, records('a', '1', '2'));
      for (let round = 1; round <= 2; round++) {
        const member = await listen({ group: name, ephemeral: true });
        await until(() => member.got.length === 2);
        await member.stop();
        expect(await test.broker.groups()).not.toContain(name);
      }
    });

    it('reports the progress of a group', async () => {
      test.topic = declare('facts', 2);
      await start();
      const [first = '', second = ''] = keysOf(2);
      await test.broker.publish(test.topic, [...records(first, 1, 2, 3), ...records(second, 1)]);
      const stuck = latch();
      const { group: name } = await listen({
        onBatch: ({ partition }) => (partition === 0 ? stuck.released : undefined),
      });
      const entry = (partition: number, committed: number, end: number): object => ({
        topic: test.topic,
        partition,
        committed,
        end,
      });
      const sorted = async (): Promise<object[]> =>
        [...(await test.broker.lag(name))].toSorted((a, b) => a.partition - b.partition);
      await until(async () => (await lagOf(name)) === 3);
      expect(await sorted()).toEqual([entry(0, 0, 3), entry(1, 1, 1)]);
      stuck.release();
      await until(async () => (await lagOf(name)) === 0);
      expect(await sorted()).toEqual([entry(0, 3, 3), entry(1, 1, 1)]);
      expect(await test.broker.groups()).toContain(name);
      expect(await test.broker.lag('unheard-of')).toEqual([]);
    });

    it('removes a group without members, which would begin anew', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', ...numbers(0, 3)));
      const name = newGroup();
      const { texts, stop } = await listen({ group: name });
      await until(() => texts().length === 3);
      await expect(test.broker.forget(name)).rejects.toMatchObject({ kind: 'conflict' });
      await stop();
      await test.broker.forget(name);
      expect(await test.broker.groups()).not.toContain(name);
      expect(await test.broker.lag(name)).toEqual([]);
      await test.broker.forget(name);
      const again = await listen({ group: name });
      await until(() => again.texts().length === 3);
    });

    it('moves a group back or forward by seek', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', ...numbers(0, 6)));
      const { texts, group: name } = await listen();
      await until(() => texts().length === 6);
      await test.broker.seek(name, test.topic, 0, 4);
      await until(() => texts().length === 8);
      expect(texts().slice(6)).toEqual(['4', '5']);
    });

    it('seeks during a handler call', async () => {
      await start();
      const stuck = latch();
      await test.broker.publish(test.topic, records('a', ...numbers(0, 6)));
      let calls = 0;
      const { texts, group: name } = await listen({ onBatch: () => (calls++ === 0 ? stuck.released : undefined) });
      await until(() => calls === 1);
      await test.broker.seek(name, test.topic, 0, 5);
      stuck.release();
      await until(() => calls === 2 && texts().length === 7);
      expect(texts().slice(6)).toEqual(['5']);
      await until(async () => (await lagOf(name)) === 0);
    });

    it('seeks a group that is not subscribed', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', ...numbers(0, 4)));
      const name = newGroup();
      await (await listen({ group: name, onBatch: () => undefined })).stop();
      await test.broker.seek(name, test.topic, 0, 3);
      const { texts } = await listen({ group: name });
      await until(() => texts().length === 1);
      expect(texts()).toEqual(['3']);
    });
  });
}
