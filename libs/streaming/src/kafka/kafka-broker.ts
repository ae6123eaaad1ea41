import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, Fault } from '@tidings/kernel';
import type { Admin, PartitionerArgs, Producer } from 'kafkajs';
import { refuseOtherTopics } from '../group-topics.ts';
import type {
  Broker,
  GroupLag,
  OutRecord,
  Position,
  SubscribeOptions,
  Subscription,
  TopicSpec,
} from '../broker-port.ts';
import { type KafkaClientOptions, LONG_RETRY, newClient, SHORT_RETRY, withoutRepeats } from './kafka-client.ts';
import { consumerSettings } from './consumer-settings.ts';
import { type CopiesOptions, createTopic } from './create-topics.ts';
import { faultOf, settingAtFault } from './kafka-faults.ts';
import { Lookups } from './lookups.ts';
import { Member } from './group-member.ts';
import { Names } from './names.ts';
import { Publisher } from './publisher.ts';
import { withTimeout } from './with-timeout.ts';

const OPEN_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 500;
const CLOSE_MS = 5_000;

export interface KafkaBrokerOptions extends KafkaClientOptions, CopiesOptions {
  readonly clock: Clock;
  readonly topics: readonly TopicSpec[];
}

/**
 * Kafka 3.9 to 4.1. @throws Fault `argument` when Kafka refuses access; `unavailable` without topics for 30 s; `conflict` when partitions differ
 */
export async function openKafkaBroker(options: KafkaBrokerOptions): Promise<Broker> {
  const broker = new KafkaBroker({ ...options, warn: withoutRepeats(options.warn) });
  try {
    await broker.connect();
    return broker;
  } catch (error) {
    await broker.close();
    throw error;
  }
}

class KafkaBroker implements Broker {
  readonly #options: KafkaBrokerOptions;
  readonly #producer: Producer;
  readonly #admin: Admin;
  readonly #names: Names;
  readonly #lookups: Lookups;
  readonly #topics: Map<string, TopicSpec>;
  readonly #publishers = new Map<string, Publisher>();
  readonly #members = new Set<Member>();
  readonly #closed = new AbortController();
  #ended = false;
  #closing: Promise<void> | undefined;

  constructor(options: KafkaBrokerOptions) {
    const { signal } = this.#closed;
    this.#options = options;
    this.#producer = newClient(options, { signal }).producer({
      createPartitioner: () => partitionOfMessage,
      allowAutoTopicCreation: false,
      retry: SHORT_RETRY,
    });
    this.#admin = newClient(options, { signal }).admin();
    this.#names = new Names(options.namespace);
    this.#lookups = new Lookups(this.#admin, this.#names);
    this.#topics = new Map(options.topics.map((spec) => [spec.name, spec]));
    for (const spec of options.topics) this.#publishers.set(spec.name, this.#publisherOf(spec));
  }

  async connect(): Promise<void> {
    const giveUpAt = performance.now() + OPEN_TIMEOUT_MS;
    for (;;) {
      try {
        await Promise.all([this.#producer.connect(), this.#admin.connect()]);
        await this.#checkTopics();
        return;
      } catch (error) {
        const fault = settingAtFault(error) ?? faultOf(error);
        if (fault.kind !== 'unavailable' || performance.now() > giveUpAt) throw fault;
        this.#options.warn('Kafka is not available yet', fault);
        await delay(POLL_INTERVAL_MS);
      }
    }
  }

  async publish(topic: string, records: readonly OutRecord[]): Promise<readonly Position[]> {
    if (this.#ended) throw closed();
    const publisher = this.#publishers.get(topic);
    if (!publisher) throw unknown(topic);
    return publisher.publish(records);
  }

  async addTopic(spec: TopicSpec): Promise<void> {
    if (this.#ended) throw closed();
    const { brokers, replicationFactor } = this.#options;
    const options = { names: this.#names, brokers, replicationFactor };
    const partitions = await createTopic(this.#admin, spec, options).catch((error) => {
      throw faultOf(error);
    });
    if (this.#topics.get(spec.name)?.partitions === partitions) return;
    const added = { ...spec, partitions };
    this.#topics.set(spec.name, added);
    this.#publishers.set(spec.name, this.#publisherOf(added));
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    if (this.#closing) throw closed();
    for (const topic of options.topics) if (!this.#topics.has(topic)) throw unknown(topic);
    refuseOtherTopics(options, this.#membersOf(options.group));
    const member = new Member(options, {
      newClient: (signal) => newClient(this.#options, { retry: LONG_RETRY, signal }),
      lookups: this.#lookups,
      names: this.#names,
      warn: this.#options.warn,
    });
    this.#members.add(member);
    // From then on every published record reaches it.
    if (options.from === 'latest') await member.joined();
    return {
      stop: async () => {
        await member.stop();
        this.#members.delete(member);
        if (options.ephemeral && this.#membersOf(options.group).length === 0) {
          await this.forget(options.group).catch((error: unknown) => this.#options.warn('A group expires', error));
        }
      },
    };
  }

  async lag(group: string): Promise<readonly GroupLag[]> {
    const topics = new Set(this.#membersOf(group).flatMap((member) => [...member.topics]));
    return this.#lookups.lag(group, this.#topics.keys(), topics);
  }

  async ends(topic: string): Promise<readonly number[]> {
    if (!this.#topics.has(topic)) throw unknown(topic);
    return (await this.#lookups.bounds(topic)).map(({ high }) => high);
  }

  async groups(): Promise<readonly string[]> {
    const localGroups = [...this.#members].map(({ group }) => group);
    return [...new Set([...localGroups, ...(await this.#lookups.groups())])];
  }

  async seek(group: string, topic: string, partition: number, offset: number): Promise<void> {
    if (!this.#topics.has(topic)) throw unknown(topic);
    if (!Number.isSafeInteger(offset) || offset < 0) throw Fault.argument(`${offset} is not an offset`);
    const bounds = (await this.#lookups.bounds(topic))[partition];
    if (!bounds) throw Fault.argument(`Topic ${topic} has no partition ${partition}`);
    const target = Math.min(offset, bounds.high);
    const members = this.#membersOf(group);
    await Promise.all(members.map((member) => member.joined()));
    for (const member of members) {
      const queue = member.queueOf({ topic, partition });
      if (queue) return member.seek(queue, target);
    }
    if (members.length > 0 || !(await this.#lookups.isIdle(group))) {
      throw Fault.conflict(`Another process reads ${topic}/${partition} for group ${group}`);
    }
    await this.#seekIdle(group, topic, partition, target);
  }

  async forget(group: string): Promise<void> {
    if (this.#membersOf(group).length > 0) throw Fault.conflict(`Group ${group} has members`);
    await this.#lookups.removeGroup(group);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #publisherOf({ name, partitions, kind }: TopicSpec): Publisher {
    const { clock } = this.#options;
    const [topic, compressed] = [this.#names.out(name), kind === 'facts'];
    return new Publisher({ producer: this.#producer, clock, name, topic, partitions, compressed });
  }

  #membersOf(group: string): Member[] {
    return [...this.#members].filter((member) => member.group === group);
  }

  async #checkTopics(): Promise<void> {
    const { topics } = await this.#admin.fetchTopicMetadata();
    const found = new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
    const expected = [...this.#topics.values()].map(({ name, partitions }) => ({
      wire: this.#names.out(name),
      partitions,
    }));
    const missing = expected.filter(({ wire }) => !found.has(wire)).map(({ wire }) => wire);
    if (missing.length > 0) throw Fault.unavailable(`Kafka lacks the topics ${missing.join(', ')}`);
    for (const { wire, partitions } of expected) {
      const others = found.get(wire);
      if (others !== partitions) throw Fault.conflict(`Topic ${wire} has ${others} partitions, not ${partitions}`);
    }
  }

  /** Only members of a group can commit its offsets. */
  async #seekIdle(group: string, topic: string, partition: number, offset: number): Promise<void> {
    const consumer = newClient(this.#options).consumer({ ...consumerSettings, groupId: this.#names.out(group) });
    const name = this.#names.out(topic);
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [name], fromBeginning: true });
      await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: () => Promise.resolve() });
      await consumer.commitOffsets([{ topic: name, partition, offset: String(offset) }]);
    } catch (error) {
      throw faultOf(error);
    } finally {
      await withTimeout(CLOSE_MS, consumer.disconnect());
    }
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#members].map((member) => member.stop()));
    // Not earlier: running handlers may still publish.
    this.#ended = true;
    await Promise.all([...this.#publishers.values()].map((publisher) => publisher.drained()));
    await withTimeout(CLOSE_MS, Promise.all([this.#producer.disconnect(), this.#admin.disconnect()]));
    this.#closed.abort();
  }
}

const partitionOfMessage = ({ message: { partition } }: PartitionerArgs): number => partition as number;

const closed = (): Fault => Fault.unavailable('The connection to Kafka is closed');

const unknown = (topic: string): Fault => Fault.bug(`there is no topic ${topic}`);
