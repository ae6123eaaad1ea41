import { jest } from '@jest/globals';
import { describeWithKafka, until } from '@tidings/testing';
import kafkajs, { type Admin } from 'kafkajs';
import { brokerFeatures } from '../broker.features.ts';
import { records, text } from '../features/broker-under-test.ts';
import { processesFeatures } from '../features/processes.features.ts';
import type { Broker, InRecord, SubscribeOptions, TopicKind, TopicSpec } from '../broker-port.ts';
import { newClient } from './kafka-client.ts';
import { openKafkaBroker } from './kafka-broker.ts';
import { KafkaWorld } from './testing/kafka-world.ts';
import { createTopics } from './create-topics.ts';

const DAY_MS = 86_400_000;

describeWithKafka('brokers on Kafka', (kafka) => {
  // No housekeeping: Kafka trims by its own clock, at its own times.
  brokerFeatures('Kafka broker', async () => new KafkaWorld(kafka), processesFeatures);
});

describeWithKafka('Kafka broker, beyond the features of every broker', (kafka) => {
  const topic = 'tidings.things';
  const spec = (over: Partial<TopicSpec> = {}): TopicSpec => ({
    name: topic,
    kind: 'facts',
    partitions: 1,
    retentionMs: DAY_MS,
    ...over,
  });
  let world: KafkaWorld;
  let admin: Admin;
  const open: Broker[] = [];

  const start = async (...topics: TopicSpec[]): Promise<Broker> => {
    const broker = await world.open(topics);
    open.push(broker);
    return broker;
  };
  const wire = (name = topic): string => world.kafka.namespace + name;
  const values = (...texts: (string | number)[]) => records('a', ...texts);
  const listen = async (
    broker: Broker,
    group: string,
    options: Partial<SubscribeOptions> = {},
  ): Promise<InRecord[]> => {
    const got: InRecord[] = [];
    const handler = async ({ records }: { readonly records: readonly InRecord[] }) => void got.push(...records);
    await broker.subscribe({ group, topics: [topic], handler, ...options });
    return got;
  };
  const isCaughtUp = async (broker: Broker, group: string): Promise<boolean> => {
    const lag = await broker.lag(group);
    return lag.length > 0 && lag.every(({ committed, end }) => committed === end);
  };

  const trimBelow = async (offset: number): Promise<void> => {
    // The client must have met the topic before.
    await admin.fetchTopicOffsets(wire());
    await admin.deleteTopicRecords({ topic: wire(), partitions: [{ partition: 0, offset: `${offset}` }] });
  };

  beforeEach(async () => {
    world = new KafkaWorld(kafka);
    admin = newClient(world.kafka).admin();
    await admin.connect();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((broker) => broker.close()));
    await admin.disconnect();
  });

  describe('topics', () => {
    const settingsOf = async (): Promise<Record<string, string>> => {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: wire() }],
      });
      const entries = resources[0]?.configEntries ?? [];
      return Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]));
    };
    const create = (...topics: TopicSpec[]) => createTopics({ ...world.kafka, topics, replicationFactor: 1 });

    const settingsMatching = (expected: Readonly<Record<string, string>>) =>
      until(async () => {
        const settings = await settingsOf();
        return Object.entries(expected).every(([name, value]) => settings[name] === value);
      });

    const set = async (settings: Readonly<Record<string, string>>): Promise<void> => {
      await admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: kafkajs.ConfigResourceTypes.TOPIC,
            name: wire(),
            configEntries: Object.entries(settings).map(([name, value]) => ({ name, value })),
          },
        ],
      });
      await settingsMatching(settings);
    };

    it.each<[TopicKind, object]>([
      ['facts', { 'cleanup.policy': 'delete', 'retention.ms': `${DAY_MS}` }],
      ['work', { 'cleanup.policy': 'delete', 'retention.ms': `${DAY_MS}` }],
      ['compacted', { 'cleanup.policy': 'compact', 'max.compaction.lag.ms': `${DAY_MS}` }],
    ])('are created with the settings of %s, once', async (kind, settings) => {
      const requested = spec({ kind, partitions: 3 });
      expect(await create(requested)).toMatchObject({ created: [topic], altered: [], longer: [] });
      expect(await settingsOf()).toMatchObject({ ...settings, 'segment.ms': `${DAY_MS / 8}` });
      const { topics } = await admin.fetchTopicMetadata({ topics: [wire()] });
      expect(topics[0]?.partitions).toHaveLength(3);
      expect(await create(requested)).toMatchObject({ created: [], altered: [], longer: [] });
    });

    it('are created once by several at the same time', async () => {
      const topics = ['a', 'b', 'c'].map((name) => spec({ name }));
      const changes = await Promise.all([create(...topics), create(...topics), create(...topics)]);
      expect(changes.flatMap(({ altered }) => altered)).toEqual([]);
      expect(await create(...topics)).toMatchObject({ created: [], altered: [], longer: [] });
    });

    it('get missing settings, and keep those that operators have made', async () => {
      await create(spec());
      await set({ 'flush.messages': '17' });
      expect(await create(spec({ retentionMs: 2 * DAY_MS }))).toMatchObject({
        created: [],
        altered: [topic],
        longer: [],
      });
      expect(await settingsOf()).toMatchObject({ 'flush.messages': '17', 'retention.ms': `${2 * DAY_MS}` });
    });

    it.each<[string, TopicKind, string]>([
      ['facts', 'facts', 'retention.ms'],
      ['compacted', 'compacted', 'max.compaction.lag.ms'],
    ])('get the current retention and compression if they are of an older version: %s', async (_, kind, retention) => {
      const numPartitions = 1;
      const configEntries = [
        { name: retention, value: `${DAY_MS / 4}` },
        { name: 'segment.ms', value: `${DAY_MS / 32}` },
        { name: 'max.message.bytes', value: '1048588' },
      ];
      await admin.createTopics({ waitForLeaders: true, topics: [{ topic: wire(), numPartitions, configEntries }] });
      expect(await create(spec({ kind }))).toMatchObject({ created: [], altered: [topic], longer: [] });
      await settingsMatching({ [retention]: `${DAY_MS}` });
      const { 'max.message.bytes': largest, ...settings } = await settingsOf();
      expect(settings).toMatchObject({
        [retention]: `${DAY_MS}`,
        'segment.ms': `${DAY_MS / 8}`,
        'compression.type': 'producer',
        'cleanup.policy': kind === 'compacted' ? 'compact' : 'delete',
      });
      expect(Number(largest)).toBeGreaterThan(1_048_588);
      expect(await create(spec({ kind }))).toMatchObject({ created: [], altered: [], longer: [] });
    });

    it.each([`${2 * DAY_MS}`, '-1'])(
      'keep a longer retention and a compression that were set by hand: %s',
      async (longer) => {
        await create(spec());
        await set({ 'retention.ms': longer, 'segment.ms': `${DAY_MS}`, 'compression.type': 'zstd' });
        expect(await create(spec())).toMatchObject({ created: [], altered: [topic], longer: [topic] });
        expect(await settingsOf()).toMatchObject({
          'retention.ms': longer,
          'segment.ms': `${DAY_MS}`,
          'compression.type': 'zstd',
          'cleanup.policy': 'delete',
        });
        expect(await create(spec())).toMatchObject({ created: [], altered: [], longer: [topic] });
        await create(spec({ retentionMs: 3 * DAY_MS }));
        await settingsMatching({ 'retention.ms': longer === '-1' ? '-1' : `${3 * DAY_MS}` });
      },
    );

    it('have a copy on each of at most three brokers of the cluster, unless the number is given', async () => {
      const { brokers } = await admin.describeCluster();
      const copies = Math.min(brokers.length, 3);
      expect(await createTopics({ ...world.kafka, topics: [spec()] })).toMatchObject({ created: [topic], copies });
      const { topics } = await admin.fetchTopicMetadata({ topics: [wire()] });
      expect(topics[0]?.partitions[0]?.replicas).toHaveLength(copies);
    });

    it('keep their copies, and records need no more of them than before', async () => {
      await create(spec());
      const grown = await createTopics({ ...world.kafka, topics: [spec()], replicationFactor: 3 });
      expect(grown).toMatchObject({ altered: [], copies: 3, otherCopies: [topic], fragile: [] });
      expect(await settingsOf()).toMatchObject({ 'min.insync.replicas': '1' });
      expect(await create(spec())).toMatchObject({ altered: [], copies: 1, otherCopies: [], fragile: [] });
    });

    it('keep a higher number of copies that a record needs, which is reported', async () => {
      await create(spec());
      await set({ 'min.insync.replicas': '2' });
      // Kafka replaces all settings of a topic together.
      expect(await create(spec())).toMatchObject({ altered: [topic], fragile: [topic] });
      await settingsMatching({ 'min.insync.replicas': '2', 'segment.ms': `${DAY_MS / 8}` });
    });

    it('keep their partitions: a plan with others is refused as a whole', async () => {
      await create(spec({ partitions: 2 }));
      for (const partitions of [1, 3]) {
        const plan = create(spec({ name: 'another' }), spec({ partitions, retentionMs: 1 }));
        await expect(plan).rejects.toMatchObject({
          kind: 'conflict',
          message: expect.stringContaining(`Topic ${wire()} has 2 partitions`) as string,
        });
      }
      expect(await admin.listTopics()).not.toContain(wire('another'));
      expect(await settingsOf()).toMatchObject({ 'retention.ms': `${DAY_MS}` });
    });

    it('are awaited when a broker is opened, and must have the number of partitions that it expects', async () => {
      const causes: string[] = [];
      const warn = (_: string, cause: unknown): void => void causes.push(String(cause));
      const opening = openKafkaBroker({ ...world.kafka, warn, topics: [spec()], clock: world.clock });
      await until(() => causes.length > 0);
      expect(causes[0]).toContain(`Kafka lacks the topics ${wire()}`);
      await create(spec());
      open.push(await opening);
      const refused = openKafkaBroker({ ...world.kafka, topics: [spec({ partitions: 2 })], clock: world.clock });
      await expect(refused).rejects.toMatchObject({
        kind: 'conflict',
        message: expect.stringContaining(`Topic ${wire()} has 1 partitions`) as string,
      });
    });
  });

  it('separates namespaces', async () => {
    const broker = await start(spec());
    const theirs = new KafkaWorld(kafka);
    const another = await theirs.open([spec()]);
    open.push(another);
    await another.publish(topic, values('theirs'));
    await broker.publish(topic, values('ours'));
    const got = await listen(broker, 'g');
    await until(() => got.length === 1);
    expect(got.map(text)).toEqual(['ours']);
    expect(await broker.groups()).toEqual(['g']);
    expect(await another.groups()).toEqual([]);
  });

  it('accepts records of publishers without keys and values', async () => {
    const broker = await start(spec());
    const producer = newClient(world.kafka).producer({ createPartitioner: () => () => 0 });
    await producer.connect();
    const headers = { name: [Buffer.from('a'), 'b'] };
    await producer.send({
      topic: wire(),
      messages: [
        { key: null, value: null },
        { value: 'x', headers },
      ],
    });
    await producer.disconnect();
    const got = await listen(broker, 'g');
    await until(() => got.length === 2);
    expect(got).toMatchObject([
      { key: '', value: Buffer.alloc(0), offset: 0 },
      { key: '', value: Buffer.from('x'), offset: 1, headers: { name: 'a,b' } },
    ]);
  });

  it('continues with the earliest remaining record when unread records are deleted', async () => {
    const broker = await start(spec());
    await broker.publish(topic, values(0, 1, 2, 3, 4, 5, 6, 7));
    for (const from of ['earliest', 'latest'] as const) await broker.seek(from, topic, 0, 1);
    await trimBelow(3);
    expect(await broker.lag('latest')).toEqual([{ topic, partition: 0, committed: 3, end: 8 }]);
    for (const from of ['earliest', 'latest'] as const) {
      const got = await listen(broker, from, { from });
      await until(() => isCaughtUp(broker, from));
      expect(got.map(text)).toEqual(['3', '4', '5', '6', '7']);
    }
    expect(world.warnings.filter((line) => line.includes('are gone'))).toHaveLength(2);
  });

  it('continues when records are deleted that a slow member was about to fetch', async () => {
    const broker = await start(spec());
    const large = Buffer.alloc(1 << 20);
    const publish = (count: number) =>
      broker.publish(
        topic,
        Array.from({ length: count }, () => ({ key: 'a', value: large })),
      );
    await publish(6);
    const stuck = Promise.withResolvers<void>();
    const offsets: number[] = [];
    await listen(broker, 'slow', {
      maxRecords: 1,
      handler: async ({ records }) => {
        await stuck.promise;
        offsets.push(...records.map(({ offset }) => offset));
      },
    });
    await until(async () => (await broker.lag('slow'))[0]?.committed === 0);
    await publish(6);
    await trimBelow(11);
    stuck.resolve();
    await until(() => isCaughtUp(broker, 'slow'));
    expect(offsets.at(-1)).toBe(11);
    expect(offsets.length).toBeLessThan(12);
    await broker.publish(topic, values('next'));
    await until(() => offsets.at(-1) === 12);
  });

  it('continues to publish and read after connections that ended during an answer', async () => {
    const broker = await start(spec());
    const got = await listen(broker, 'reader');
    await broker.publish(topic, values(0));
    await until(() => got.length === 1);
    world.tear(broker);
    const published = broker.publish(topic, values(1));
    // Acknowledged or not: the torn answer may be its own.
    await published.catch(() => undefined);
    await broker.publish(topic, values(2));
    await until(() => got.some((record) => text(record) === '2'));
    expect([...new Set(got.map(text))]).toEqual(['0', '1', '2']);
  });

  it('starts no timers that are due at once repeatedly', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    try {
      const broker = await start(spec());
      const got = await listen(broker, 'reader');
      await broker.publish(topic, values('x'));
      await until(() => got.length === 1);
      expect(timers.mock.calls.filter(([, ms = 0]) => ms < 0)).toEqual([]);
    } finally {
      timers.mockRestore();
    }
  });

  it('reads a compacted topic over the gaps of compaction', async () => {
    const compacted = spec({ kind: 'compacted', retentionMs: 400 });
    const broker = await start(compacted);
    const keys = Array.from({ length: 50 }, (_, i) => `key-${i}`);
    const publish = (value: number) =>
      broker.publish(
        topic,
        keys.map((key) => ({ key, value: Buffer.from(`${value}`) })),
      );
    let published = 0;
    let reader = 0;
    let got: InRecord[] = [];
    // Kafka's cleaner pauses between rounds, for less time than this waits.
    await until(async () => {
      await publish(published++);
      const group = `reader-${reader++}`;
      got = await listen(broker, group);
      await until(() => isCaughtUp(broker, group));
      return got.length < published * keys.length;
    });
    const newest = new Map(got.map((record) => [record.key, text(record)]));
    expect(newest).toEqual(new Map(keys.map((key) => [key, `${published - 1}`])));
    expect(got.map(({ offset }) => offset)).toEqual(got.map(({ offset }) => offset).toSorted((a, b) => a - b));
  });
});
