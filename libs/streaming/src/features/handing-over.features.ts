import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@tidings/testing';
import { type BrokerUnderTest, text, record, records, numbers, latch } from './broker-under-test.ts';

export function handingOverFeatures(test: BrokerUnderTest): void {
  const { declare, start, listen, lagOf } = test;

  describe('handing over', () => {
    it('passes to a handler the records that are published while it listens', async () => {
      await start();
      const { texts } = await listen();
      await test.broker.publish(test.topic, records('a', 1, 2));
      await until(() => texts().length === 2);
      await test.broker.publish(test.topic, records('a', 3));
      await until(() => texts().length === 3);
      expect(texts()).toEqual(['1', '2', '3']);
    });

    it('passes one batch of a partition at a time, no longer than requested', async () => {
      await start();
      let active = 0;
      const seen: number[] = [];
      await test.broker.publish(test.topic, records('a', ...numbers(0, 50)));
      const { texts } = await listen({
        maxRecords: 8,
        onBatch: async (batch) => {
          active++;
          seen.push(active, batch.records.length);
          await delay(1);
          active--;
        },
      });
      await until(() => texts().length === 50);
      expect(texts()).toEqual(numbers(0, 50).map(String));
      expect(Math.max(...seen)).toBeLessThanOrEqual(8);
      expect(seen.filter((_, i) => i % 2 === 0).every((count) => count === 1)).toBe(true);
    });

    it('starts a new group at the earliest or the latest record', async () => {
      await start();
      await test.broker.publish(test.topic, records('a', 1, 2));
      const earliest = await listen({ from: 'earliest' });
      const latest = await listen({ from: 'latest' });
      await until(async () => (await lagOf(latest.group)) === 0);
      await test.broker.publish(test.topic, records('a', 3));
      await until(() => earliest.got.length === 3 && latest.got.length === 1);
      expect(earliest.texts()).toEqual(['1', '2', '3']);
      expect(latest.texts()).toEqual(['3']);
    });

    it('serves groups independently', async () => {
      await start();
      const stuck = latch();
      await test.broker.publish(test.topic, records('a', 1, 2, 3));
      const slow = await listen({ onBatch: () => stuck.released });
      const quick = await listen();
      await until(() => quick.got.length === 3);
      expect(slow.got).toEqual([]);
      stuck.release();
      await until(() => slow.got.length === 3);
    });

    it('redelivers records after a failed handler call, and loses none', async () => {
      test.topic = declare('facts', 2);
      await start();
      const failed = new Set<string>();
      await test.broker.publish(
        test.topic,
        numbers(0, 40).map((i) => record(`key-${i}`, `${i}`)),
      );
      const { got, texts } = await listen({
        maxRecords: 5,
        onBatch: ({ partition, records: [first] }) => {
          const batch = `${partition}/${first?.offset}`;
          if (failed.has(batch)) return;
          failed.add(batch);
          throw new Error('not the first time');
        },
      });
      await until(() => got.length >= 40);
      expect(new Set(texts())).toEqual(new Set(numbers(0, 40).map(String)));
    });

    it('continues behind the records that a handler has completed', async () => {
      await start();
      const seen: string[][] = [];
      await test.broker.publish(test.topic, records('a', ...numbers(0, 5)));
      const { group: name } = await listen({
        handler: async ({ records: batch }) => {
          seen.push(batch.map(text));
          return Math.min(2, batch.length);
        },
      });
      await until(async () => (await test.broker.lag(name))[0]?.committed === 5);
      expect(seen[0]?.slice(0, 2)).toEqual(['0', '1']);
      expect(seen.map(([first]) => first)).toEqual(['0', '2', '4']);
    });

    it('waits for fuller batches if configured, but not after a quiet time', async () => {
      await start();
      const sizes: number[] = [];
      const patient = await listen({ lingerMs: 60_000, onBatch: (batch) => sizes.push(batch.records.length) });
      await test.broker.publish(test.topic, records('a', 1));
      await until(() => patient.got.length === 1);
      for (const n of numbers(2, 5)) await test.broker.publish(test.topic, records('a', n));
      await patient.stop();
      const next = await listen({ group: patient.group });
      await until(() => next.got.length === 3);
      expect([sizes, next.texts()]).toEqual([[1], ['2', '3', '4']]);
    });

    it('delivers waiting records as one batch', async () => {
      await start();
      const sizes: number[] = [];
      const { got } = await listen({ lingerMs: 1_000, onBatch: (batch) => sizes.push(batch.records.length) });
      await test.broker.publish(test.topic, records('a', 1));
      await until(() => got.length === 1);
      await Promise.all(numbers(2, 5).map((n) => test.broker.publish(test.topic, records('a', n))));
      await until(() => got.length === 4);
      expect(sizes).toEqual([1, 3]);
    });

    it('passes a full batch at once, and stops without waiting for another', async () => {
      await start();
      const patient = await listen({ lingerMs: 60_000, maxRecords: 2 });
      await test.broker.publish(test.topic, records('a', 1, 2, 3));
      await until(() => patient.got.length === 2);
      await patient.stop();
      const next = await listen({ group: patient.group });
      await until(() => next.got.length === 1);
      expect([...patient.texts(), ...next.texts()]).toEqual(['1', '2', '3']);
    });

    it('delivers everything again if no record is completed', async () => {
      await start();
      let calls = 0;
      await test.broker.publish(test.topic, records('a', 1, 2));
      const { group: name } = await listen({ handler: async () => (++calls < 3 ? 0 : undefined) });
      await until(async () => (await lagOf(name)) === 0 && calls >= 3);
      expect(calls).toBe(3);
    });
  });
}
