import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { systemClock } from '@tidings/kernel';
import { describeWithKafka } from '@tidings/testing';
import type { Admin, Consumer, ConsumerConfig, ConsumerRunConfig, Kafka } from 'kafkajs';
import type { Broker } from '../broker-port.ts';
import { newClient } from './kafka-client.ts';
import { openKafkaBroker } from './kafka-broker.ts';
import { Lookups } from './lookups.ts';
import { Member } from './group-member.ts';
import { Names } from './names.ts';
import { createTopics } from './create-topics.ts';

const TOPIC = 'tidings.things';

describeWithKafka('a member of a group', (kafka) => {
  let broker: Broker;
  let admin: Admin;
  let member: Member;
  let lookups: Lookups;
  let join: () => Member;
  const handled: string[] = [];
  /** Says what Kafka says when the group is to be dealt out anew. */
  let tellOfRebalance: () => void;
  /** Resolves when something that was fetched has been taken, or left. */
  let taken: Promise<void>;

  /** The real client, whose consumers can be told of a rebalance that there is not. */
  const listening = (client: Kafka): Kafka => {
    const create = client.consumer.bind(client);
    const consumer = (config: ConsumerConfig): Consumer => {
      const real = create(config);
      const on = real.on.bind(real) as (event: string, listener: (event: never) => void) => () => void;
      const heard = (event: string, listener: (event: never) => void): (() => void) => {
        if (event === 'consumer.rebalancing') tellOfRebalance = () => listener(undefined as never);
        return on(event, listener);
      };
      const first = Promise.withResolvers<void>();
      taken = first.promise;
      const start = real.run.bind(real);
      const run = ({ eachBatch, ...settings }: ConsumerRunConfig): Promise<void> =>
        start({ ...settings, eachBatch: (payload) => eachBatch!(payload).finally(first.resolve) });
      return Object.assign(real, { on: heard, run });
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
    const handler = async ({ records }: { readonly records: readonly { readonly value: Uint8Array }[] }) =>
      void handled.push(...records.map(({ value }) => Buffer.from(value).toString()));
    join = () =>
      new Member(
        { group: 'g', topics: [TOPIC], handler },
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

  it('goes on when a rebalance that it was told of comes to nothing', async () => {
    tellOfRebalance();
    await broker.publish(TOPIC, [{ key: 'a', value: Buffer.from('x') }]);
    while (handled.length === 0) await delay(10);
    expect(handled).toEqual(['x']);
  });

  it('reads what was fetched before it knew where the group is', async () => {
    await broker.publish(TOPIC, [{ key: 'a', value: Buffer.from('y') }]);
    while (handled.length === 0) await delay(10);
    await member.stop();
    await broker.publish(TOPIC, [{ key: 'a', value: Buffer.from('z') }]);
    const known = Promise.withResolvers<void>();
    const committed = lookups.committed.bind(lookups);
    Object.assign(lookups, { committed: (group: string) => known.promise.then(() => committed(group)) });
    member = join();
    await taken;
    known.resolve();
    while (handled.length === 1) await delay(10);
    expect(handled).toEqual(['y', 'z']);
  });
});
