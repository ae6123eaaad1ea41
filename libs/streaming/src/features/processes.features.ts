import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@tidings/testing';
import type { Broker, OutRecord } from '../broker-port.ts';
import { type BrokerUnderTest, text, record, records, numbers, newGroup, latch } from './broker-under-test.ts';

export function processesFeatures(test: BrokerUnderTest): void {
  const { declare, start, listen, lagOf } = test;

  describe('several processes', () => {
    const everyKey = (from: number, to: number): OutRecord[] =>
      numbers(from, to).map((i) => record(`key-${i}`, `${i}`));

    it('lose nothing when members join, leave and die during a batch', async () => {
      test.topic = declare('facts', 6);
      const name = newGroup();
      const handled = new Set<string>();
      const publisher = await start();
      const dying = new Set<Broker>();
      const join = async (): Promise<Broker> => {
        const member = await start();
        await listen({
          group: name,
          maxRecords: 5,
          onBatch: async ({ records: batch }) => {
            await delay(1);
            if (dying.has(member)) return test.world.crash(member);
            for (const one of batch) handled.add(text(one));
          },
        });
        return member;
      };
      let published = 0;
      const publish = async (count: number): Promise<void> => {
        await publisher.publish(test.topic, everyKey(published, (published += count)));
      };
      const handledHalf = (): Promise<void> => until(() => handled.size > published - 100);

      await publish(200);
      const first = await join();
      await handledHalf();
      await publish(200);
      const second = await join();
      await handledHalf();
      await publish(200);
      dying.add(first);
      await until(() => handled.size > published - 200);
      await join();
      await publish(200);
      await second.close();
      test.broker = publisher;
      await until(() => handled.size === published);
      await until(async () => (await lagOf(name)) === 0);
    });

    it('transfer partitions without handling anything twice when a process ends', async () => {
      test.topic = declare('facts', 4);
      const publisher = await start();
      await publisher.publish(test.topic, everyKey(0, 400));
      const leaving = await start();
      const before = await listen({ maxRecords: 10, onBatch: () => delay(1) });
      await until(() => before.got.length > 50);
      await leaving.close();
      await start();
      const after = await listen({ group: before.group });
      await until(() => before.got.length + after.got.length >= 400);
      expect([...before.texts(), ...after.texts()].toSorted()).toEqual(everyKey(0, 400).map(text).toSorted());
    });

    it('report in each the progress of a group of another, and seek there for none', async () => {
      const other = await start();
      await start();
      await test.broker.publish(test.topic, records('a', 1, 2, 3));
      const stuck = latch();
      const { group: name } = await listen({
        maxRecords: 2,
        onBatch: ({ records: [one] }) => one?.offset === 2 && stuck.released,
      });
      await until(async () => (await other.lag(name))[0]?.committed === 2);
      expect(await other.lag(name)).toEqual([{ topic: test.topic, partition: 0, committed: 2, end: 3 }]);
      expect(await other.groups()).toContain(name);
      await expect(other.seek(name, test.topic, 0, 0)).rejects.toMatchObject({ kind: 'conflict' });
      stuck.release();
      await until(async () => (await other.lag(name))[0]?.committed === 3);
    });
  });
}
