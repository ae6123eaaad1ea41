import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { until } from '@tidings/testing';
import { partitionOf } from '../partition.ts';
import { LARGEST_RECORD_BYTES } from '../broker-port.ts';
import { type BrokerUnderTest, text, record, records, numbers } from './broker-under-test.ts';

export function publishingFeatures(test: BrokerUnderTest): void {
  const { declare, declareLater, start, listen, lagOf } = test;

  describe('publishing', () => {
    it('returns the position of each record', async () => {
      test.topic = declare('facts', 3);
      await start();
      const sent = numbers(0, 30).map((i) => record(`key-${i % 7}`, `${i}`));
      const positions = [
        ...(await test.broker.publish(test.topic, sent.slice(0, 20))),
        ...(await test.broker.publish(test.topic, sent.slice(20))),
      ];
      expect(positions.map(({ partition }) => partition)).toEqual(sent.map(({ key }) => partitionOf(key, 3)));
      const ends = [0, 1, 2].map((partition) => positions.filter((each) => each.partition === partition).length);
      expect(await test.broker.ends(test.topic)).toEqual(ends);
      const { got } = await listen();
      await until(() => got.length === 30);
      const found = new Map(got.map((one) => [`${one.partition}/${one.offset}`, `${one.key}=${text(one)}`]));
      expect(positions.map(({ partition, offset }) => found.get(`${partition}/${offset}`))).toEqual(
        sent.map((one) => `${one.key}=${text(one)}`),
      );
    });

    it('adds topics at run time, which keep their partitions and records', async () => {
      await start();
      const added = declareLater('facts', 3);
      expect(await test.broker.publish(added.name, records('a', 1)).catch(Fault.from)).toMatchObject({ kind: 'bug' });
      await Promise.all([test.broker.addTopic(added), test.broker.addTopic(added)]);
      await test.broker.publish(added.name, records('a', 1, 2));
      await test.broker.close();

      await start();
      await test.broker.addTopic({ ...added, partitions: 5 });
      const [position] = await test.broker.publish(added.name, records('a', 3));
      expect(position).toEqual({ partition: partitionOf('a', 3), offset: 2 });
      const { texts, group } = await listen({ topics: [added.name] });
      await until(() => texts().length === 3);
      expect(texts()).toEqual(['1', '2', '3']);
      await until(async () => (await lagOf(group)) === 0);
      expect(await test.broker.lag(group)).toHaveLength(3);
    });

    it('returns at once for no records', async () => {
      await start();
      expect(await test.broker.publish(test.topic, [])).toEqual([]);
    });

    it('keeps the order of each key', async () => {
      test.topic = declare('facts', 4);
      await start();
      const keys = numbers(0, 12).map((i) => `key-${i}`);
      await Promise.all(
        keys.flatMap((key) => numbers(0, 25).map((n) => test.broker.publish(test.topic, records(key, n)))),
      );
      const { got } = await listen({ maxRecords: 7 });
      await until(() => got.length === 300);
      for (const key of keys) {
        expect(got.filter((one) => one.key === key).map(text)).toEqual(numbers(0, 25).map(String));
      }
    });

    it('numbers the records of concurrent publishers without gaps', async () => {
      test.topic = declare('facts', 2);
      await start();
      const published = await Promise.all(
        numbers(0, 60).map((i) =>
          test.broker.publish(
            test.topic,
            numbers(0, 10).map((n) => record(`key-${i}-${n}`, 'x')),
          ),
        ),
      );
      const byPartition = [0, 1].map((partition) =>
        published.flat().flatMap((position) => (position.partition === partition ? [position.offset] : [])),
      );
      for (const offsets of byPartition) {
        expect(offsets.toSorted((a, b) => a - b)).toEqual(numbers(0, offsets.length));
      }
      expect(byPartition.flat()).toHaveLength(600);
    });

    it('keeps keys, values and the time of the publisher', async () => {
      await start();
      const value = Buffer.from([0, 255, 1, 254]);
      const before = test.world.clock.now();
      await test.broker.publish(test.topic, [{ key: '', value }, record('schlüssel/🔑', ''), record('z', 'ende')]);
      value.fill(7);
      const { got } = await listen();
      await until(() => got.length === 3);
      expect(got.map(({ key, value }) => [key, [...value]])).toEqual([
        ['', [0, 255, 1, 254]],
        ['schlüssel/🔑', []],
        ['z', [...Buffer.from('ende')]],
      ]);
      for (const { timestamp } of got) {
        expect(timestamp).toBeGreaterThanOrEqual(before);
        expect(timestamp).toBeLessThanOrEqual(test.world.clock.now());
      }
    });

    it('keeps headers, of the records that have any', async () => {
      await start();
      const traced = {
        ...record('a', '3'),
        headers: { traceparent: '00-4bf9-01', tracestate: 'schlüssel=🔑' },
      };
      await test.broker.publish(test.topic, [record('a', '1'), { ...record('a', '2'), headers: {} }, traced]);
      await test.broker.publish(test.topic, [record('a', '4')]);
      const { got } = await listen();
      await until(() => got.length === 4);
      expect(got.map(({ headers }) => headers)).toEqual([undefined, undefined, traced.headers, undefined]);
    });

    it('transports records up to the limit of the port, and refuses larger ones', async () => {
      await start();
      const large = Buffer.alloc(LARGEST_RECORD_BYTES - 'large'.length, 'x');
      await test.broker.publish(test.topic, [{ key: 'large', value: large }, ...records('small', 1)]);
      const tooLarge = [...records('small', 2), { key: 'larger', value: large }];
      await expect(test.broker.publish(test.topic, tooLarge)).rejects.toMatchObject({ kind: 'tooLarge' });
      await test.broker.publish(test.topic, records('small', 3));
      const { got } = await listen();
      await until(() => got.length === 3);
      expect(Buffer.compare(got[0]?.value ?? Buffer.alloc(0), large)).toBe(0);
      expect(got.slice(1).map(text)).toEqual(['1', '3']);
    });

    it('refuses an undeclared topic', async () => {
      await start();
      await expect(test.broker.publish('unheard-of', records('a', 1))).rejects.toBeInstanceOf(Fault);
    });
  });
}
