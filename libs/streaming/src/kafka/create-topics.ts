import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import kafkajs, { type Admin } from 'kafkajs';
import { LARGEST_RECORD_BYTES, type TopicSpec } from '../broker-port.ts';
import { type KafkaClientOptions, newClient } from './kafka-client.ts';
import { faultOf, settingAtFault } from './kafka-faults.ts';
import { Names } from './names.ts';

const LARGEST_BATCH_BYTES = LARGEST_RECORD_BYTES + (1 << 20);
const SEGMENTS_PER_RETENTION = 8;
const SERVED_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 50;
const FOR_EVER = '9223372036854775807';
const MOST_COPIES = 3;

export interface CopiesOptions {
  /** @default one per broker, at most three */
  readonly replicationFactor?: number | undefined;
}

export interface CreateTopicsOptions extends Omit<KafkaClientOptions, 'openSocket'>, CopiesOptions {
  readonly topics: readonly TopicSpec[];
}

export interface TopicChanges {
  readonly created: readonly string[];
  readonly altered: readonly string[];
  readonly longer: readonly string[];
  readonly copies: number;
  readonly otherCopies: readonly string[];
  /** Topics whose `min.insync.replicas` is too high to lose a broker. */
  readonly fragile: readonly string[];
}

/**
 * Idempotent; keeps copies, longer retentions, stricter `min.insync.replicas` and set compressions of operators. @throws Fault `conflict` before
 * any change when partitions differ: keys would move
 */
export const createTopics = (options: CreateTopicsOptions): Promise<TopicChanges> =>
  withTopics(options, async (admin, plan) => {
    await create(admin, plan.missing);
    const found = await compared(admin, plan.existing);
    await alter(admin, found.filter(isAltered));
    return changesOf(plan, found);
  });

export const compareTopics = (options: CreateTopicsOptions): Promise<TopicChanges> =>
  withTopics(options, async (admin, plan) => changesOf(plan, await compared(admin, plan.existing)));

const namesOf = (topics: readonly RequestedTopic[]): string[] => topics.map(({ name }) => name);

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

interface Plan {
  readonly copies: number;
  readonly missing: readonly RequestedTopic[];
  readonly existing: readonly RequestedTopic[];
}

async function withTopics<T>(options: CreateTopicsOptions, work: (admin: Admin, plan: Plan) => Promise<T>): Promise<T> {
  const admin = newClient(options).admin();
  const names = new Names(options.namespace);
  try {
    await admin.connect();
    const existing = await existingTopics(admin);
    const copies = await copiesOf(admin, options);
    const requested = options.topics.map((spec) => {
      const wire = names.out(spec.name);
      const own = existing.get(wire)?.copies ?? copies;
      return { ...spec, wire, copies: own, settings: settingsOf(spec, Math.min(own, copies)) };
    });
    for (const { wire, partitions } of requested) {
      const has = existing.get(wire)?.partitions ?? partitions;
      if (has !== partitions) {
        throw Fault.conflict(`Topic ${wire} has ${has} partitions, and the number cannot be changed to ${partitions}`);
      }
    }
    return await work(admin, {
      copies,
      missing: requested.filter(({ wire }) => !existing.has(wire)),
      existing: requested.filter(({ wire }) => existing.has(wire)),
    });
  } catch (error) {
    throw settingAtFault(error) ?? faultOf(error);
  } finally {
    await admin.disconnect();
  }
}

export async function createTopic(
  admin: Admin,
  spec: TopicSpec,
  { names, ...options }: { readonly names: Names } & BrokersOptions,
): Promise<number> {
  const wire = names.out(spec.name);
  const existing = (await existingTopics(admin)).get(wire);
  if (existing) return existing.partitions;
  const copies = await copiesOf(admin, options);
  await create(admin, [{ ...spec, wire, copies, settings: settingsOf(spec, copies) }]);
  return spec.partitions;
}

type BrokersOptions = Pick<KafkaClientOptions, 'brokers'> & CopiesOptions;

/** The cluster lists only running brokers. */
async function copiesOf(admin: Admin, { brokers, replicationFactor }: BrokersOptions): Promise<number> {
  if (replicationFactor !== undefined) return replicationFactor;
  const running = (await admin.describeCluster()).brokers.length;
  return Math.min(Math.max(running, brokers.split(',').length), MOST_COPIES);
}

type Settings = Readonly<Record<string, string>>;

/** Replaced records of a compacted topic must expire, too. */
const retentionOf = ({ kind }: TopicSpec): string => (kind === 'compacted' ? 'max.compaction.lag.ms' : 'retention.ms');

const IN_SYNC = 'min.insync.replicas';
const mostInSync = (copies: number): number => Math.max(1, copies - 1);

/** Publishers compress: a broker must not compress again. */
const COMPRESSION = 'compression.type';

interface RequestedTopic extends TopicSpec {
  readonly wire: string;
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

async function existingTopics(
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

async function create(admin: Admin, topics: readonly RequestedTopic[]): Promise<void> {
  if (topics.length === 0) return;
  await admin.createTopics({
    waitForLeaders: false,
    topics: topics.map(({ wire, partitions, copies, settings }) => ({
      topic: wire,
      numPartitions: partitions,
      replicationFactor: copies,
      configEntries: entriesOf(settings),
    })),
  });
  await Promise.all(topics.map((topic) => waitUntilServed(admin, topic)));
}

/** Requests that some leaders refuse would be repeated at the others. */
async function waitUntilServed(admin: Admin, { wire, partitions }: RequestedTopic): Promise<void> {
  const giveUpAt = performance.now() + SERVED_TIMEOUT_MS;
  for (;;) {
    try {
      if ((await admin.fetchTopicOffsets(wire)).length === partitions) return;
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
    }
    await delay(POLL_INTERVAL_MS);
  }
}

interface Existing {
  readonly topic: RequestedTopic;
  readonly own: Settings;
  readonly expected: Settings;
  readonly isLonger: boolean;
}

const isAltered = ({ own, expected }: Existing): boolean =>
  Object.entries(expected).some(([name, value]) => own[name] !== value);

const isFragile = ({ topic, expected }: Existing): boolean => Number(expected[IN_SYNC]) > mostInSync(topic.copies);

const lifetimeOf = (setting: string | undefined): number => (setting === '-1' ? Infinity : Number(setting ?? 0));

function existingOf(topic: RequestedTopic, own: Settings): Existing {
  const retention = retentionOf(topic);
  const isLonger = lifetimeOf(own[retention]) > topic.retentionMs;
  const isStricter = Number(own[IN_SYNC] ?? 0) > Number(topic.settings[IN_SYNC]);
  const retained = [...(isLonger ? [retention, 'segment.ms'] : []), ...(isStricter ? [IN_SYNC] : []), COMPRESSION];
  const overrides = Object.fromEntries(
    retained.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])),
  );
  return { topic, own, expected: { ...topic.settings, ...overrides }, isLonger };
}

async function compared(admin: Admin, topics: readonly RequestedTopic[]): Promise<Existing[]> {
  if (topics.length === 0) return [];
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map(({ wire }) => ({ type, name: wire })),
  });
  const own = new Map(
    resources.map(({ resourceName, configEntries }) => {
      const overrides = configEntries.filter(({ configSource }) => configSource === kafkajs.ConfigSource.TOPIC_CONFIG);
      return [
        resourceName,
        Object.fromEntries(overrides.map(({ configName, configValue }) => [configName, configValue])),
      ];
    }),
  );
  return topics.map((topic) => existingOf(topic, own.get(topic.wire) ?? {}));
}

/** Kafka replaces all settings together: foreign ones are written again. */
async function alter(admin: Admin, topics: readonly Existing[]): Promise<void> {
  if (topics.length === 0) return;
  await admin.alterConfigs({
    validateOnly: false,
    resources: topics.map(({ topic, own, expected }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name: topic.wire,
      configEntries: entriesOf({ ...own, ...expected }),
    })),
  });
}
