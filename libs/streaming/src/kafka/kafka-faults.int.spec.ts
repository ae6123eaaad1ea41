import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import { describeWithOwnKafka } from '@tidings/testing';
import type { Broker, InRecord, Position, TopicSpec } from '../broker-port.ts';
import { KafkaWorld } from './testing/kafka-world.ts';

const PATIENCE_MS = 60_000;

async function until(condition: () => unknown): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > giveUpAt) throw new Error(`in vain: ${String(condition)}`);
    await delay(10);
  }
}

const text = ({ value }: InRecord): string => Buffer.from(value).toString();

describeWithOwnKafka('Kafka broker, when Kafka itself fails', (kafka) => {
  const topic: TopicSpec = { name: 'tidings.things', kind: 'facts', partitions: 3, retentionMs: 86_400_000 };
  let world: KafkaWorld;
  let broker: Broker;
  let isOver: boolean;

  beforeEach(async () => {
    isOver = false;
    world = new KafkaWorld(kafka);
    broker = await world.open([topic]);
  });
  afterEach(async () => {
    // A closed broker refuses at once: whoever tried again for ever would leave Jest no turn.
    isOver = true;
    await broker.close();
  });

  /** Publishes 0, 1, 2 … under one key until the test is told to be over, each until it is acknowledged. */
  const publishing = async (key: string): Promise<Position[]> => {
    const positions: Position[] = [];
    while (!isOver) {
      try {
        positions.push(...(await broker.publish(topic.name, [{ key, value: Buffer.from(`${positions.length}`) }])));
      } catch (error) {
        expect(Fault.from(error).kind).toBe('unavailable');
      }
    }
    return positions;
  };

  it('loses nothing and keeps the order when it is killed in the middle of publishing and consuming', async () => {
    const handled: InRecord[] = [];
    await broker.subscribe({
      group: 'g',
      topics: [topic.name],
      maxRecords: 20,
      handler: async ({ records }) => {
        await delay(1);
        handled.push(...records);
      },
    });
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const publishers = keys.map(publishing);
    await until(() => handled.length > 200);
    await kafka.server.kill();
    await kafka.server.restart();
    const before = handled.length;
    await until(() => handled.length > before + 200);
    isOver = true;
    const positions = await Promise.all(publishers);
    await until(async () => (await broker.lag('g')).every(({ committed, end }) => committed === end));

    const found = new Map(handled.map((record) => [`${record.partition}/${record.offset}`, record]));
    const inOrder = [...found.values()].sort((a, b) => a.offset - b.offset);
    for (const [i, key] of keys.entries()) {
      const acknowledged = positions[i]!.map(({ partition, offset }) => found.get(`${partition}/${offset}`)!);
      expect(acknowledged.map((record) => `${record.key} ${text(record)}`)).toEqual(
        positions[i]!.map((_, n) => `${key} ${n}`),
      );
      // An unacknowledged record may have been written nevertheless, before it was published again.
      const all = inOrder.filter((record) => record.key === key).map((record) => Number(text(record)));
      expect(all).toEqual(all.toSorted((a, b) => a - b));
    }
  });

  it('goes on as the member that it was, so that nothing is handled twice', async () => {
    const handled: string[] = [];
    const isUp = Promise.withResolvers<void>();
    await broker.subscribe({
      group: 'g',
      topics: [topic.name],
      maxRecords: 1,
      handler: async ({ records: [record] }) => {
        if (text(record!) === '2') await isUp.promise;
        handled.push(text(record!));
      },
    });
    await broker.publish(
      topic.name,
      [0, 1, 2, 3].map((n) => ({ key: 'a', value: Buffer.from(`${n}`) })),
    );
    const committed = async (): Promise<number> => (await broker.lag('g')).reduce((sum, lag) => sum + lag.committed, 0);
    await until(async () => (await committed()) === 2);
    await kafka.server.kill();
    await kafka.server.restart();
    isUp.resolve();
    await until(async () => (await committed()) === 4);
    expect(handled).toEqual(['0', '1', '2', '3']);
  });

  it('is unavailable while Kafka is away, and can be closed', async () => {
    const handling = Promise.withResolvers<void>();
    await broker.subscribe({ group: 'g', topics: [topic.name], handler: async () => handling.resolve() });
    await broker.publish(topic.name, [{ key: 'a', value: Buffer.from('x') }]);
    await handling.promise;
    await kafka.server.kill();
    await expect(broker.publish(topic.name, [{ key: 'a', value: Buffer.from('y') }])).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await expect(broker.lag('g')).rejects.toMatchObject({ kind: 'unavailable' });
    await broker.close();
  });
});
