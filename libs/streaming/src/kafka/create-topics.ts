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
  /** Existing topics that keep records longer than wanted, and go on doing so. */
  readonly longer: readonly string[];
}

/**
 * Creates missing topics, and updates the settings of existing ones, whichever version created them; other settings and the number of copies stay
 * unchanged. A retention that is longer than wanted, and a compression that was set for the topic, stay: an operator may have set them. Idempotent.
 * @throws Fault `conflict`, before any change, when a topic has another number of partitions: keys would move. `argument` when Kafka refuses the
 * configured access, `unavailable` when it does not answer.
 */
export const createTopics = (options: CreateTopicsOptions): Promise<TopicChanges> =>
  withTopics(options, async (admin, { missing, existing }) => {
    await create(admin, missing, options.replicationFactor);
    const { altered, longer } = await compared(admin, existing);
    await alter(admin, altered);
    return changesOf(missing, altered, longer);
  });

/** The changes that {@link createTopics} would make; changes nothing. Throws the same faults. */
export const compareTopics = (options: CreateTopicsOptions): Promise<TopicChanges> =>
  withTopics(options, async (admin, { missing, existing }) => {
    const { altered, longer } = await compared(admin, existing);
    return changesOf(missing, altered, longer);
  });

const namesOf = (topics: readonly Wanted[]): string[] => topics.map(({ name }) => name);

const changesOf = (
  missing: readonly Wanted[],
  altered: readonly Existing[],
  longer: readonly Existing[],
): TopicChanges => ({
  created: namesOf(missing),
  altered: namesOf(altered.map(({ topic }) => topic)),
  longer: namesOf(longer.map(({ topic }) => topic)),
});

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

/** The setting that bounds the lifetime of a record; those of a compacted topic that were replaced by a newer one of their key must expire, too. */
const retentionOf = ({ kind }: TopicSpec): string => (kind === 'compacted' ? 'max.compaction.lag.ms' : 'retention.ms');

/** Publishers compress; a broker of which another compression is the default must not do it again. */
const COMPRESSION = 'compression.type';

interface Wanted extends TopicSpec {
  /** The name in Kafka. */
  readonly wire: string;
  readonly settings: Settings;
}

function settingsOf(spec: TopicSpec, replicationFactor: number): Settings {
  const { kind, retentionMs } = spec;
  return {
    'cleanup.policy': kind === 'compacted' ? 'compact' : 'delete',
    [retentionOf(spec)]: String(retentionMs),
    [COMPRESSION]: 'producer',
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

/** A topic that exists, the settings that were made for it, and those that it should have. */
interface Existing {
  readonly topic: Wanted;
  readonly own: Settings;
  readonly wanted: Settings;
  /** Whether it keeps records longer than its specification says. */
  readonly isLonger: boolean;
}

/** -1 is for ever. */
const lifetimeOf = (setting: string | undefined): number => (setting === '-1' ? Infinity : Number(setting ?? 0));

function existingOf(topic: Wanted, own: Settings): Existing {
  const retention = retentionOf(topic);
  const isLonger = lifetimeOf(own[retention]) > topic.retentionMs;
  // Segments that an operator has fitted to the longer retention stay with it.
  const kept = [...(isLonger ? [retention, 'segment.ms'] : []), COMPRESSION];
  const made = Object.fromEntries(kept.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
  return { topic, own, wanted: { ...topic.settings, ...made }, isLonger };
}

async function compared(
  admin: Admin,
  topics: readonly Wanted[],
): Promise<{ readonly altered: Existing[]; readonly longer: Existing[] }> {
  if (topics.length === 0) return { altered: [], longer: [] };
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
  const existing = topics.map((topic) => existingOf(topic, own.get(topic.wire) ?? {}));
  return {
    altered: existing.filter(({ own: has, wanted }) =>
      Object.entries(wanted).some(([name, value]) => has[name] !== value),
    ),
    longer: existing.filter(({ isLonger }) => isLonger),
  };
}

/** Kafka replaces all settings of a topic together, so foreign settings are written again. */
async function alter(admin: Admin, topics: readonly Existing[]): Promise<void> {
  if (topics.length === 0) return;
  await admin.alterConfigs({
    validateOnly: false,
    resources: topics.map(({ topic, own, wanted }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name: topic.wire,
      configEntries: entriesOf({ ...own, ...wanted }),
    })),
  });
}
