import { Fault } from '@tidings/kernel';
import type { Admin, Message, Producer } from 'kafkajs';
import { type InRecord, LARGEST_RECORD_BYTES, type TopicSpec } from '../broker-port.ts';
import type { LogImport, LogSummary } from '../log-contents.ts';
import { GZIP } from './compression.ts';
import { type CopiesOptions, createTopic } from './create-topics.ts';
import { type KafkaClientOptions, newClient } from './kafka-client.ts';
import { faultOf, settingAtFault } from './kafka-faults.ts';
import { Names, partitionKey } from './names.ts';

const REQUEST_RECORDS = 1_000;
const REQUEST_BYTES = LARGEST_RECORD_BYTES;

export type FillKafkaOptions = Omit<KafkaClientOptions, 'openSocket'> & CopiesOptions;

/** @throws Fault `conflict` when a topic has records or other partitions */
export async function fillKafka(
  options: FillKafkaOptions,
  summary: LogSummary,
  work: (log: LogImport) => Promise<void>,
): Promise<void> {
  const kafka = newClient(options);
  const [admin, names] = [kafka.admin(), new Names(options.namespace)];
  const producer = kafka.producer({
    createPartitioner:
      () =>
      ({ message }) =>
        message.partition!,
  });
  try {
    await Promise.all([admin.connect(), producer.connect()]);
    for (const topic of summary.topics) await prepare(admin, topic, { ...options, names });
    await work(new Filling({ admin, producer, names, summary }));
  } catch (error) {
    throw settingAtFault(error) ?? faultOf(error);
  } finally {
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  }
}

async function prepare(
  admin: Admin,
  topic: TopicSpec,
  how: FillKafkaOptions & { readonly names: Names },
): Promise<void> {
  const [wire, partitions] = [how.names.out(topic.name), await createTopic(admin, topic, how)];
  if (partitions !== topic.partitions) {
    throw Fault.conflict(
      `Topic ${wire} has ${partitions} partitions, and the records are those of ${topic.partitions}`,
    );
  }
  const offsets = await admin.fetchTopicOffsets(wire);
  if (offsets.some(({ high }) => high !== '0')) throw Fault.conflict(`Topic ${wire} holds records already`);
}

interface GroupOffset {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  consumed: number;
}

interface FillingDeps {
  readonly admin: Admin;
  readonly producer: Producer;
  readonly names: Names;
  readonly summary: LogSummary;
}

class Filling implements LogImport {
  readonly #deps: FillingDeps;
  readonly #facts: ReadonlySet<string>;
  readonly #offsets: readonly GroupOffset[];
  readonly #offsetsByPartition: ReadonlyMap<string, readonly GroupOffset[]>;

  constructor(deps: FillingDeps) {
    this.#deps = deps;
    this.#facts = new Set(deps.summary.topics.filter(({ kind }) => kind === 'facts').map(({ name }) => name));
    this.#offsets = deps.summary.offsets.map((stored) => ({ ...stored, consumed: 0 }));
    this.#offsetsByPartition = Map.groupBy(this.#offsets, ({ topic, partition }) => partitionKey(topic, partition));
  }

  async append(topic: string, partition: number, records: readonly InRecord[]): Promise<void> {
    const { producer, names } = this.#deps;
    for (const some of requestsOf(records)) {
      const messages = some.map((record) => messageOf(record, partition));
      const compression = this.#facts.has(topic) ? { compression: GZIP } : {};
      await producer.send({ topic: names.out(topic), messages, ...compression });
    }
    for (const stored of this.#offsetsByPartition.get(partitionKey(topic, partition)) ?? []) {
      stored.consumed += records.filter(({ offset }) => offset < stored.offset).length;
    }
  }

  async finish(): Promise<void> {
    const { admin, names } = this.#deps;
    for (const [group, ofGroup] of Map.groupBy(this.#offsets, (stored) => stored.group)) {
      for (const [topic, ofTopic] of Map.groupBy(ofGroup, (stored) => stored.topic)) {
        const partitions = ofTopic.map(({ partition, consumed }) => ({ partition, offset: String(consumed) }));
        await admin.setOffsets({ groupId: names.out(group), topic: names.out(topic), partitions });
      }
    }
  }
}

const messageOf = ({ key, value, headers, timestamp }: InRecord, partition: number): Message => ({
  key,
  value: value as Buffer,
  partition,
  timestamp: String(timestamp),
  ...(headers && { headers: { ...headers } }),
});

function* requestsOf(records: readonly InRecord[]): Generator<readonly InRecord[]> {
  let from = 0;
  let bytes = 0;
  for (const [at, { value }] of records.entries()) {
    if (at > from && (at - from >= REQUEST_RECORDS || bytes + value.length > REQUEST_BYTES)) {
      yield records.slice(from, at);
      [from, bytes] = [at, 0];
    }
    bytes += value.length;
  }
  if (from < records.length) yield records.slice(from);
}
