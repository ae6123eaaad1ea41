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
const MOST_COPIES = 3;

/** The number of copies of new topics. */
export interface CopiesOptions {
  /**
   * Copies of each record. With three or more, an acknowledged one has at least all but one of them.
   * @default one on each broker that is named or in the cluster, at most three
   */
  readonly replicationFactor?: number | undefined;
}

export interface CreateTopicsOptions extends Omit<KafkaClientOptions, 'openSocket'>, CopiesOptions {
  readonly topics: readonly TopicSpec[];
}

/** Names of topics. */
export interface TopicChanges {
  readonly created: readonly string[];
  /** Existing topics whose settings were changed. */
  readonly altered: readonly string[];
  /** Existing topics that keep records longer than wanted, and go on doing so. */
  readonly longer: readonly string[];
  /** Copies that new topics have. */
  readonly copies: number;
  /** Existing topics with another number of copies, and go on having it. */
  readonly otherCopies: readonly string[];
  /** Existing topics that take no records while one of their brokers is away: `min.insync.replicas` asks for all of their copies, or for more. */
  readonly fragile: readonly string[];
}

/**
 * Creates missing topics, and updates the settings of existing ones, whichever version created them; other settings and the number of copies stay
 * unchanged. A retention that is longer than wanted, a higher `min.insync.replicas`, and a compression that was set for the topic, stay: an operator
 * may have set them. Idempotent.
 * @throws Fault `conflict`, before any change, when a topic has another number of partitions: keys would move. `argument` when Kafka refuses the
 * configured access, `unavailable` when it does not answer.
 */
export const createTopics = (options: CreateTopicsOptions): Promise<TopicChanges> =>
  withTopics(options, async (admin, plan) => {
    await create(admin, plan.missing);
    const found = await compared(admin, plan.existing);
    await alter(admin, found.filter(isAltered));
    return changesOf(plan, found);
  });

/** The changes that {@link createTopics} would make; changes nothing. Throws the same faults. */
export const compareTopics = (options: CreateTopicsOptions): Promise<TopicChanges> =>
  withTopics(options, async (admin, plan) => changesOf(plan, await compared(admin, plan.existing)));

const namesOf = (topics: readonly Wanted[]): string[] => topics.map(({ name }) => name);

const changesOf = ({ copies, missing, existing }: Plan, found: readonly Existing[]): TopicChanges => {
  const those = (is: (topic: Existing) => boolean): string[] => namesOf(found.filter(is).map(({ topic }) => topic));
  return {
    created: namesOf(missing),
    altered: those(isAltered),
    longer: those(({ isLonger }) => isLonger),
    copies,
    otherCopies: namesOf(existing.filter((topic) => topic.copies !== copies)),
    fragile: those(isFragile),
  };
};

/** The wanted topics, with the copies of new ones. */
interface Plan {
  readonly copies: number;
  readonly missing: readonly Wanted[];
  readonly existing: readonly Wanted[];
}

async function withTopics<T>(options: CreateTopicsOptions, work: (admin: Admin, plan: Plan) => Promise<T>): Promise<T> {
  const admin = newClient(options).admin();
  const names = new Names(options.namespace);
  try {
    await admin.connect();
    const known = await knownTopics(admin);
    const copies = await copiesOf(admin, options);
    const wanted = options.topics.map((spec) => {
      const wire = names.out(spec.name);
      const own = known.get(wire)?.copies ?? copies;
      // A topic that is being moved has the copies of both places for a while.
      return { ...spec, wire, copies: own, settings: settingsOf(spec, Math.min(own, copies)) };
    });
    for (const { wire, partitions } of wanted) {
      const has = known.get(wire)?.partitions ?? partitions;
      if (has !== partitions) {
        throw Fault.conflict(`Topic ${wire} has ${has} partitions, and the number cannot be changed to ${partitions}`);
      }
    }
    return await work(admin, {
      copies,
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
  { names, ...options }: { readonly names: Names } & BrokersOptions,
): Promise<number> {
  const wire = names.out(spec.name);
  const known = (await knownTopics(admin)).get(wire);
  if (known) return known.partitions;
  const copies = await copiesOf(admin, options);
  await create(admin, [{ ...spec, wire, copies, settings: settingsOf(spec, copies) }]);
  return spec.partitions;
}

/** The options that decide on the copies of new topics. */
type BrokersOptions = Pick<KafkaClientOptions, 'brokers'> & CopiesOptions;

/** The brokers that are named may be some of the cluster's, and the cluster lists only those that run. */
async function copiesOf(admin: Admin, { brokers, replicationFactor }: BrokersOptions): Promise<number> {
  if (replicationFactor !== undefined) return replicationFactor;
  const running = (await admin.describeCluster()).brokers.length;
  return Math.min(Math.max(running, brokers.split(',').length), MOST_COPIES);
}

type Settings = Readonly<Record<string, string>>;

/** The setting that bounds the lifetime of a record; those of a compacted topic that were replaced by a newer one of their key must expire, too. */
const retentionOf = ({ kind }: TopicSpec): string => (kind === 'compacted' ? 'max.compaction.lag.ms' : 'retention.ms');

/** The number of copies that a record must have to be acknowledged. */
const IN_SYNC = 'min.insync.replicas';
/** Above it, a topic takes no records while one of its brokers is away. */
const mostInSync = (copies: number): number => Math.max(1, copies - 1);

/** Publishers compress: a broker with another default must not compress again. */
const COMPRESSION = 'compression.type';

interface Wanted extends TopicSpec {
  /** The name in Kafka. */
  readonly wire: string;
  /** The copies of each record; of an existing topic those that it has. */
  readonly copies: number;
  readonly settings: Settings;
}

function settingsOf(spec: TopicSpec, copies: number): Settings {
  const { kind, retentionMs } = spec;
  return {
    'cleanup.policy': kind === 'compacted' ? 'compact' : 'delete',
    [retentionOf(spec)]: String(retentionMs),
    [COMPRESSION]: 'producer',
    'segment.ms': String(Math.ceil(retentionMs / SEGMENTS_PER_RETENTION)),
    'max.message.bytes': String(LARGEST_BATCH_BYTES),
    [IN_SYNC]: String(mostInSync(copies)),
    // A test clock runs ahead of Kafka's.
    'message.timestamp.after.max.ms': FOR_EVER,
  };
}

const entriesOf = (settings: Settings) => Object.entries(settings).map(([name, value]) => ({ name, value }));

/** The number of partitions of each topic, and of the copies of those that have the fewest. */
async function knownTopics(
  admin: Admin,
): Promise<ReadonlyMap<string, { readonly partitions: number; readonly copies: number }>> {
  const { topics } = await admin.fetchTopicMetadata();
  return new Map(
    topics.map(({ name, partitions }) => {
      const copies = Math.min(...partitions.map(({ replicas }) => replicas.length));
      return [name, { partitions: partitions.length, copies }];
    }),
  );
}

async function create(admin: Admin, topics: readonly Wanted[]): Promise<void> {
  if (topics.length === 0) return;
  // kafkajs returns false if another process creates the topic concurrently: the result is the same.
  await admin.createTopics({
    waitForLeaders: false,
    topics: topics.map(({ wire, partitions, copies, settings }) => ({
      topic: wire,
      numPartitions: partitions,
      replicationFactor: copies,
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

/** A topic that exists, its own settings, and the wanted settings. */
interface Existing {
  readonly topic: Wanted;
  readonly own: Settings;
  readonly wanted: Settings;
  /** Whether the topic keeps records longer than specified. */
  readonly isLonger: boolean;
}

const isAltered = ({ own, wanted }: Existing): boolean =>
  Object.entries(wanted).some(([name, value]) => own[name] !== value);

const isFragile = ({ topic, wanted }: Existing): boolean => Number(wanted[IN_SYNC]) > mostInSync(topic.copies);

/** -1 is for ever. */
const lifetimeOf = (setting: string | undefined): number => (setting === '-1' ? Infinity : Number(setting ?? 0));

function existingOf(topic: Wanted, own: Settings): Existing {
  const retention = retentionOf(topic);
  const isLonger = lifetimeOf(own[retention]) > topic.retentionMs;
  const isStricter = Number(own[IN_SYNC] ?? 0) > Number(topic.settings[IN_SYNC]);
  // Segments that an operator has fitted to the longer retention stay with it.
  const kept = [...(isLonger ? [retention, 'segment.ms'] : []), ...(isStricter ? [IN_SYNC] : []), COMPRESSION];
  const made = Object.fromEntries(kept.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
  return { topic, own, wanted: { ...topic.settings, ...made }, isLonger };
}

async function compared(admin: Admin, topics: readonly Wanted[]): Promise<Existing[]> {
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
  return topics.map((topic) => existingOf(topic, own.get(topic.wire) ?? {}));
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
