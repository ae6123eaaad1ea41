import { setTimeout as delay } from 'node:timers/promises';
import { describeWithOwnKafka, until } from '@tidings/testing';
import type { Broker, InRecord, TopicSpec } from '../broker-port.ts';
import { text } from '../features/broker-under-test.ts';
import { KafkaWorld } from './testing/kafka-world.ts';
import { Sequences } from './testing/sequences.ts';

describeWithOwnKafka('Kafka broker, during failures of Kafka', (kafka) => {
  const topic: TopicSpec = { name: 'tidings.things', kind: 'facts', partitions: 3, retentionMs: 86_400_000 };
  let world: KafkaWorld;
  let broker: Broker;
  let sequences: Sequences | undefined;

  beforeEach(async () => {
    sequences = undefined;
    world = new KafkaWorld(kafka);
    broker = await world.open([topic]);
  });
  afterEach(async () => {
    await sequences?.stop();
    await broker.close();
  });

  it('loses nothing and keeps the order when Kafka is killed while it publishes and consumes', async () => {
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
    sequences = new Sequences(broker, topic.name, ['a', 'b', 'c', 'd', 'e']);
    await until(() => handled.length > 200);
    await kafka.server.kill();
    await kafka.server.restart();
    const before = handled.length;
    await until(() => handled.length > before + 200);
    await sequences.stop();
    await until(async () => (await broker.lag('g')).every(({ committed, end }) => committed === end));
    await sequences.expectIn(handled);
  });

  it('continues as the same member, so that nothing is handled twice', async () => {
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

  it('is unavailable without Kafka, and can be closed', async () => {
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
