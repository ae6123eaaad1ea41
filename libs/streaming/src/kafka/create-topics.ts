import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import kafkajs, { type Admin } from 'kafkajs';
import { LARGEST_RECORD_BYTES, type TopicSpec } from '../broker-port.ts';
import { type KafkaClientOptions, newClient } from './kafka-client.ts';
import { faultOf, settingAtFault } from './kafka-faults.ts';
import { Names } from './names.ts';

/** A record with its frame, and keys with multi-byte characters. */
const LARGEST_BATCH_BYTES = LARGEST_RECORD_BYTES + (1 << 20);
/** Kafka removes and compacts whole segments, which extends the lifetime of a record by at most this fraction. */
const SEGMENTS_PER_RETENTION = 8;
const SERVED_PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 50;
const FOR_EVER = '9223372036854775807';

export interface CreateTopicsOptions extends Omit<KafkaClientOptions, 'openSocket'> {
  readonly topics: readonly TopicSpec[];
  /** Copies of each record. With three or more, an acknowledged one has at least all but one of them. */
  readonly replicationFactor: number;
}

/** Names of topics. */
export interface TopicChanges {
  readonly created: readonly string[];
  /** Existing topics whose settings were changed. */
  readonly altered: readonly string[];
}

/**
 * Creates missing topics, and updates the settings of existing ones; other settings and the number of copies stay unchanged. Idempotent.
 * @throws Fault `conflict`, before any change, when a topic has another number of partitions: keys would move. `argument` when Kafka refuses the
 * configured access, `unavailable` when it does not answer.
 */
export const createTopics = (options: CreateTopicsOptions): Promise<TopicChanges> =>
  withTopics(options, async (admin, { missing, existing }) => {
    await create(admin, missing, options.replicationFactor);
    const altered = await differing(admin, existing);
    await alter(admin, altered);
    return { created: namesOf(missing), altered: namesOf(altered.map(({ topic }) => topic)) };
  });

/** The changes that {@link createTopics} would make; changes nothing. Throws the same faults. */
export const compareTopics = (options: CreateTopicsOptions): Promise<TopicChanges> =>
  withTopics(options, async (admin, { missing, existing }) => ({
    created: namesOf(missing),
    altered: namesOf((await differing(admin, existing)).map(({ topic }) => topic)),
  }));

const namesOf = (topics: readonly Wanted[]): string[] => topics.map(({ name }) => name);

async function withTopics<T>(
  { topics, replicationFactor, ...options }: CreateTopicsOptions,
  work: (admin: Admin, topics: { readonly missing: Wanted[]; readonly existing: Wanted[] }) => Promise<T>,
): Promise<T> {
  const admin = newClient(options).admin();
  const names = new Names(options.namespace);
  const wanted = topics.map((spec) => ({
    ...spec,
    wire: names.out(spec.name),
    settings: settingsOf(spec, replicationFactor),
  }));
  try {
    await admin.connect();
    const known = await partitionsOf(admin);
    for (const { wire, partitions } of wanted) {
      const has = known.get(wire) ?? partitions;
      if (has !== partitions) {
        throw Fault.conflict(`Topic ${wire} has ${has} partitions, and the number cannot be changed to ${partitions}`);
      }
    }
    return await work(admin, {
      missing: wanted.filter(({ wire }) => !known.has(wire)),
      existing: wanted.filter(({ wire }) => known.has(wire)),
    });
  } catch (error) {
    throw settingAtFault(error) ?? faultOf(error);
  } finally {
    await admin.disconnect();
  }
}

/** Creates a topic unless it exists. @returns its number of partitions */
export async function createTopic(
  admin: Admin,
  spec: TopicSpec,
  { names, replicationFactor }: { readonly names: Names; readonly replicationFactor: number },
): Promise<number> {
  const wire = names.out(spec.name);
  const partitions = (await partitionsOf(admin)).get(wire);
  if (partitions !== undefined) return partitions;
  const settings = settingsOf(spec, replicationFactor);
  await create(admin, [{ ...spec, wire, settings }], replicationFactor);
  return spec.partitions;
}

type Settings = Readonly<Record<string, string>>;

interface Wanted extends TopicSpec {
  /** The name in Kafka. */
  readonly wire: string;
  readonly settings: Settings;
}

function settingsOf({ kind, retentionMs }: TopicSpec, replicationFactor: number): Settings {
  const isCompacted = kind === 'compacted';
  return {
    'cleanup.policy': isCompacted ? 'compact' : 'delete',
    // Records that were replaced by a newer one of their key must expire, too.
    [isCompacted ? 'max.compaction.lag.ms' : 'retention.ms']: String(retentionMs),
    'segment.ms': String(Math.ceil(retentionMs / SEGMENTS_PER_RETENTION)),
    'max.message.bytes': String(LARGEST_BATCH_BYTES),
    'min.insync.replicas': String(Math.max(1, replicationFactor - 1)),
    // A test clock runs ahead of Kafka's.
    'message.timestamp.after.max.ms': FOR_EVER,
  };
}

const entriesOf = (settings: Settings) => Object.entries(settings).map(([name, value]) => ({ name, value }));

async function partitionsOf(admin: Admin): Promise<ReadonlyMap<string, number>> {
  const { topics } = await admin.fetchTopicMetadata();
  return new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
}

async function create(admin: Admin, topics: readonly Wanted[], replicationFactor: number): Promise<void> {
  if (topics.length === 0) return;
  // kafkajs returns false if another process creates the topic concurrently: the result is the same.
  await admin.createTopics({
    waitForLeaders: false,
    topics: topics.map(({ wire, partitions, settings }) => ({
      topic: wire,
      numPartitions: partitions,
      replicationFactor,
      configEntries: entriesOf(settings),
    })),
  });
  await Promise.all(topics.map((topic) => untilServed(admin, topic)));
}

/** Waits until the leaders know of their partitions: a request that some of them refuse would be repeated at the others. */
async function untilServed(admin: Admin, { wire, partitions }: Wanted): Promise<void> {
  const giveUpAt = performance.now() + SERVED_PATIENCE_MS;
  for (;;) {
    try {
      if ((await admin.fetchTopicOffsets(wire)).length === partitions) return;
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
    }
    await delay(LOOK_EVERY_MS);
  }
}

/** A topic with other settings than wanted, and all that were made for it. */
interface Differing {
  readonly topic: Wanted;
  readonly settings: Settings;
}

async function differing(admin: Admin, topics: readonly Wanted[]): Promise<Differing[]> {
  if (topics.length === 0) return [];
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map(({ wire }) => ({ type, name: wire })),
  });
  const own = new Map(
    resources.map(({ resourceName, configEntries }) => {
      const made = configEntries.filter(({ configSource }) => configSource === kafkajs.ConfigSource.TOPIC_CONFIG);
      return [resourceName, Object.fromEntries(made.map(({ configName, configValue }) => [configName, configValue]))];
    }),
  );
  return topics
    .map((topic) => ({ topic, settings: own.get(topic.wire) ?? {} }))
    .filter(({ topic, settings }) => Object.entries(topic.settings).some(([name, value]) => settings[name] !== value));
}

/** Kafka replaces all settings of a topic together, so foreign settings are written again. */
async function alter(admin: Admin, topics: readonly Differing[]): Promise<void> {
  if (topics.length === 0) return;
  await admin.alterConfigs({
    validateOnly: false,
    resources: topics.map(({ topic, settings }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name: topic.wire,
      configEntries: entriesOf({ ...settings, ...topic.settings }),
    })),
  });
}
