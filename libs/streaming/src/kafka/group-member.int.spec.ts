import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { systemClock } from '@tidings/kernel';
import { describeWithKafka, until } from '@tidings/testing';
import type { Admin, Consumer, ConsumerConfig, ConsumerRunConfig, Kafka } from 'kafkajs';
import type { BatchHandler, Broker } from '../broker-port.ts';
import { newClient } from './kafka-client.ts';
import { openKafkaBroker } from './kafka-broker.ts';
import { Lookups } from './lookups.ts';
import { Member } from './group-member.ts';
import { Names } from './names.ts';
import { createTopics } from './create-topics.ts';

const TOPIC = 'tidings.things';
const MINUTE_MS = 60_000;
const TIMEOUT_MS = 4_500;

describeWithKafka('a member of a group', (kafka) => {
  let broker: Broker;
  let admin: Admin;
  let member: Member;
  let lookups: Lookups;
  let join: () => Member;
  const handled: string[] = [];
  let notifyRebalance: () => void;
  let taking: Promise<void>;
  let fetchesWhilePaused: number;
  let settings: Partial<ConsumerConfig>;
  let handler: BatchHandler;

  const listening = (client: Kafka): Kafka => {
    const create = client.consumer.bind(client);
    const consumer = (config: ConsumerConfig): Consumer => {
      const real = create({ ...config, ...settings });
      const on = real.on.bind(real) as (event: string, listener: (event: never) => void) => () => void;
      const listenTo = (event: string, listener: (event: never) => void): (() => void) => {
        if (event === 'consumer.rebalancing') notifyRebalance = () => listener(undefined as never);
        return on(event, listener);
      };
      const first = Promise.withResolvers<void>();
      taking = first.promise;
      const start = real.run.bind(real);
      const run = ({ eachBatch, ...settings }: ConsumerRunConfig): Promise<void> =>
        start({ ...settings, eachBatch: (payload) => eachBatch!(payload).finally(first.resolve) });
      const pauseReal = real.pause.bind(real);
      const pause: Consumer['pause'] = (topics) => {
        pauseReal(topics);
        real.on('consumer.fetch', () => void fetchesWhilePaused++);
      };
      return Object.assign(real, { on: listenTo, run, pause });
    };
    return Object.assign(client, { consumer });
  };

  beforeEach(async () => {
    const options = { brokers: kafka.brokers, namespace: kafka.namespace, clientId: 'spec', warn: () => undefined };
    const topics = [{ name: TOPIC, kind: 'facts', partitions: 1, retentionMs: 86_400_000 }] as const;
    await createTopics({ ...options, topics, replicationFactor: 1 });
    broker = await openKafkaBroker({ ...options, topics, clock: systemClock });
    admin = newClient(options).admin();
    const names = new Names(kafka.namespace);
    lookups = new Lookups(admin, names);
    settings = {};
    fetchesWhilePaused = 0;
    handler = async ({ records }) => void handled.push(...records.map(({ value }) => Buffer.from(value).toString()));
    join = () =>
      new Member(
        { group: 'g', topics: [TOPIC], handler: (batch) => handler(batch) },
        { newClient: () => listening(newClient(options)), lookups, names, warn: options.warn },
      );
    member = join();
    await member.joined();
    handled.length = 0;
  });
  afterEach(async () => {
    await member.stop();
    await admin.disconnect();
    await broker.close();
  });

  it('continues when an announced rebalance does not happen', async () => {
    notifyRebalance();
    await broker.publish(TOPIC, [{ key: 'a', value: Buffer.from('x') }]);
    await until(() => handled.length > 0);
    expect(handled).toEqual(['x']);
  });

  it('reads records that it fetched before it had the offsets of the group', async () => {
    await broker.publish(TOPIC, [{ key: 'a', value: Buffer.from('y') }]);
    await until(() => handled.length > 0);
    await member.stop();
    await broker.publish(TOPIC, [{ key: 'a', value: Buffer.from('z') }]);
    const answered = Promise.withResolvers<void>();
    const committed = lookups.committed.bind(lookups);
    Object.assign(lookups, { committed: (group: string) => answered.promise.then(() => committed(group)) });
    member = join();
    await taking;
    answered.resolve();
    await until(() => handled.length > 1);
    expect(handled).toEqual(['y', 'z']);
  });

  it('stops without the answer to the fetch under way', async () => {
    await member.stop();
    settings = { maxWaitTimeInMs: MINUTE_MS };
    member = join();
    await member.joined();
    const startedAt = performance.now();
    await member.stop();
    expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MS);
    // A member that has not left stays one until its session expires.
    const { groups } = await admin.describeGroups([`${kafka.namespace}g`]);
    expect(groups.map(({ members }) => members)).toEqual([[]]);
  });

  it('fetches a full partition soon after it has room again, however long fetches wait', async () => {
    await member.stop();
    settings = { maxWaitTimeInMs: MINUTE_MS };
    const room = Promise.withResolvers<void>();
    let bytes = 0;
    handler = async ({ records }) => {
      await room.promise;
      for (const { value } of records) bytes += value.length;
    };
    member = join();
    await member.joined();
    const megabyte = { key: 'a', value: Buffer.alloc(900_000) };
    for (let i = 0; i < 6; i++) await broker.publish(TOPIC, [megabyte]);
    // A fetch ends within its wait of a minute only if the wait was shortened.
    await until(() => fetchesWhilePaused > 1, { timeoutMs: MINUTE_MS / 2 }).finally(room.resolve);
    await until(() => bytes >= 6 * megabyte.value.length);
  });
});
