import { setTimeout as delay } from 'node:timers/promises';
import { describeWithOwnKafka, until } from '@tidings/testing';
import kafkajs, { type Admin } from 'kafkajs';
import type { Broker, InRecord, TopicSpec } from '../broker-port.ts';
import { newGroup, records, text } from '../features/broker-under-test.ts';
import { newClient } from './kafka-client.ts';
import { KafkaWorld } from './testing/kafka-world.ts';
import { Sequences } from './testing/sequences.ts';

const NODES = 3;
const OFFSETS = '__consumer_offsets';
/**
 * Kafka notices a death after `broker.session.timeout.ms`, 3 s here; a new active controller takes as long, and waits for the session once more.
 */
const MOVED_MS = 10_000;
/** A group also waits 10 s for the session of a member that came back as a new one. */
const CONTINUED_MS = MOVED_MS + 15_000;
/** A member waits 10 s for a silent node before it looks for the coordinator again. */
const SILENT_MS = CONTINUED_MS + 10_000;
const AT_ONCE_MS = 2_000;

describeWithOwnKafka(
  'Kafka broker, on a cluster that loses nodes',
  (kafka) => {
    const topic: TopicSpec = { name: 'tidings.things', kind: 'facts', partitions: 6, retentionMs: 86_400_000 };
    const dead = new Set<number>();
    let world: KafkaWorld;
    let admin: Admin;
    let sequences: Sequences | undefined;
    const open: Broker[] = [];

    const start = async (): Promise<Broker> => {
      const broker = await world.open([topic]);
      open.push(broker);
      return broker;
    };
    const partitionsOf = async (wire: string) => {
      // The client would ask dead nodes, too.
      const client = newClient({ ...world.kafka, brokers: livingBrokers() }).admin();
      await client.connect();
      try {
        const { partitions } = (await client.fetchTopicMetadata({ topics: [wire] })).topics[0]!;
        return partitions.toSorted((a, b) => a.partitionId - b.partitionId);
      } finally {
        await client.disconnect();
      }
    };
    const livingBrokers = (): string =>
      kafka.nodes
        .filter((_node, i) => !dead.has(i))
        .map(({ brokers }) => brokers)
        .join();
    const wire = (): string => world.kafka.namespace + topic.name;
    const coordinator = async (): Promise<number> => (await partitionsOf(OFFSETS))[0]!.leader - 1;
    const leaders = async (): Promise<number[]> => (await partitionsOf(wire())).map(({ leader }) => leader - 1);
    const kill = async (node: number): Promise<void> => {
      dead.add(node);
      await kafka.nodes[node]!.kill();
    };
    const restart = async (): Promise<void> => {
      await Promise.all([...dead].map((node) => kafka.nodes[node]!.restart()));
      dead.clear();
      for (const name of [wire(), OFFSETS])
        await until(async () => (await partitionsOf(name)).every(({ isr }) => isr.length === NODES));
    };
    const timed = async (work: Promise<unknown>): Promise<number> => {
      const startedAt = performance.now();
      await work;
      return performance.now() - startedAt;
    };
    const listen = async (broker: Broker, group: string): Promise<InRecord[]> => {
      const handled: InRecord[] = [];
      const handler = async (batch: { readonly records: readonly InRecord[] }) => void handled.push(...batch.records);
      await broker.subscribe({ group, topics: [topic.name], maxRecords: 20, handler });
      return handled;
    };
    const isCaughtUp = async (broker: Broker, group: string): Promise<boolean> => {
      const lag = await broker.lag(group);
      return lag.length > 0 && lag.every(({ committed, end }) => committed === end);
    };
    const committed = async (broker: Broker, group: string): Promise<number> =>
      (await answered(() => broker.lag(group))).reduce((sum, lag) => sum + lag.committed, 0);
    const timeToCommit = async (broker: Broker, group: string): Promise<number> => {
      const before = await committed(broker, group);
      return timed(until(async () => (await committed(broker, group)) > before + 500));
    };
    const idleGroup = async (broker: Broker): Promise<string> => {
      const group = newGroup();
      const subscription = await broker.subscribe({ group, topics: [topic.name], handler: async () => undefined });
      await until(() => isCaughtUp(broker, group));
      await subscription.stop();
      return group;
    };
    const answered = async <T>(call: () => Promise<T>): Promise<T> => {
      const giveUpAt = performance.now() + CONTINUED_MS;
      for (;;) {
        try {
          return await call();
        } catch (error) {
          if (performance.now() > giveUpAt) throw error;
          expect(error).toMatchObject({ kind: 'unavailable' });
          await delay(50);
        }
      }
    };

    const warnings: string[] = [];
    const warned = ({ message }: Error): void => void warnings.push(message);
    beforeAll(() => void process.on('warning', warned));
    afterAll(() => {
      process.off('warning', warned);
      expect(warnings).toEqual([]);
    });

    beforeEach(async () => {
      sequences = undefined;
      world = new KafkaWorld(kafka, {});
      admin = newClient(world.kafka).admin();
      await admin.connect();
    });
    afterEach(async () => {
      await sequences?.stop();
      await restart();
      await Promise.all(open.splice(0).map((broker) => broker.close()));
      await admin.disconnect();
    });

    it('has the copies of topics and groups that deployments have', async () => {
      await idleGroup(await start());
      for (const name of [wire(), OFFSETS]) {
        expect((await partitionsOf(name)).every(({ replicas }) => replicas.length === NODES)).toBe(true);
        const { resources } = await admin.describeConfigs({
          includeSynonyms: false,
          resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name, configNames: ['min.insync.replicas'] }],
        });
        expect(resources[0]!.configEntries[0]!.configValue).toBe('2');
      }
    });

    it('loses nothing and keeps the order while each node in turn is killed and returns', async () => {
      const broker = await start();
      const handled = await listen(broker, 'g');
      sequences = new Sequences(broker, topic.name, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
      const isProcessing = (): Promise<number> => timeToCommit(broker, 'g');
      await isProcessing();
      const first = await coordinator();
      for (const node of [first, (first + 1) % NODES, (first + 2) % NODES]) {
        await kill(node);
        expect(await isProcessing()).toBeLessThan(CONTINUED_MS);
        await restart();
      }
      await isProcessing();
      await sequences.stop();
      await until(() => isCaughtUp(broker, 'g'));
      await sequences.expectIn(handled);
    });

    it.each([
      ['is frozen', false],
      ['vanishes from the network', true],
    ])('loses nothing and keeps the order while the coordinator of groups %s, and returns', async (_, vanishes) => {
      const broker = await start();
      const handled = await listen(broker, 'g');
      sequences = new Sequences(broker, topic.name, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
      await until(() => handled.length > 200);
      const { pid, brokers } = kafka.nodes[await coordinator()]!;
      if (vanishes) world.vanished.add(Number(brokers.split(':')[1]));
      process.kill(pid, 'SIGSTOP');
      try {
        expect(await timeToCommit(broker, 'g')).toBeLessThan(SILENT_MS);
      } finally {
        process.kill(pid, 'SIGCONT');
        world.vanished.clear();
      }
      await timeToCommit(broker, 'g');
      await sequences.stop();
      await until(() => isCaughtUp(broker, 'g'));
      await sequences.expectIn(handled);
    });

    it.each(['coordinator of groups', 'other node'])('answers queries after the %s was killed', async (which) => {
      const broker = await start();
      await broker.publish(topic.name, records('a', 1, 2, 3));
      const [group, other] = [await idleGroup(broker), await idleGroup(broker)];
      const ends = await broker.ends(topic.name);
      const partition = ends.indexOf(3);
      await kill(which === 'other node' ? ((await coordinator()) + 1) % NODES : await coordinator());

      const took = await timed(
        (async () => {
          expect(await answered(() => broker.ends(topic.name))).toEqual(ends);
          expect(await answered(() => isCaughtUp(broker, group))).toBe(true);
          await answered(() => broker.seek(group, topic.name, partition, 1));
          expect((await answered(() => broker.lag(group)))[partition]).toMatchObject({ committed: 1, end: 3 });
          expect(await answered(() => broker.groups())).toEqual(expect.arrayContaining([group, other]));
          await answered(() => broker.forget(other));
          const groups = await answered(() => broker.groups());
          expect([groups.includes(group), groups.includes(other)]).toEqual([true, false]);
        })(),
      );
      expect(took).toBeLessThan(MOVED_MS);
    });

    it('removes a group while a node is dead that does not coordinate it', async () => {
      const broker = await start();
      const group = await idleGroup(broker);
      await kill(((await coordinator()) + 1) % NODES);
      // The removal needs two copies, like a record: Kafka refuses it until it has noticed the death.
      expect(await timed(answered(() => broker.forget(group)))).toBeLessThan(MOVED_MS);
      await broker.forget(group);
      expect(await answered(() => broker.groups())).not.toContain(group);
    });

    it('adds topics while a node is dead', async () => {
      const broker = await start();
      await kill(0);
      const added = { ...topic, name: 'tidings.added' };
      await answered(() => broker.addTopic(added));
      // Enough tries for the client to choose the dead node.
      for (let i = 0; i < 20; i++) await broker.addTopic(added);
      await answered(() => broker.publish(added.name, records('a', 1)));
    });

    it('opens although the first address is dead, before and after Kafka has noticed', async () => {
      const first = await start();
      await answered(() => first.publish(topic.name, records('a', 1)));
      await kill(0);
      for (const group of [newGroup(), newGroup()]) {
        let broker: Broker | undefined;
        expect(await timed(answered(start).then((opened) => (broker = opened)))).toBeLessThan(MOVED_MS);
        const handled = await listen(broker!, group);
        expect(await timed(until(() => handled.length > 0))).toBeLessThan(CONTINUED_MS);
        await answered(() => broker!.publish(topic.name, records('a', 2)));
        expect(handled.map(text)).toContain('1');
      }
    });

    it('reads the ends of partitions as soon as their leader is another living node', async () => {
      const broker = await start();
      await broker.publish(topic.name, records('a', 1, 2, 3));
      const ends = await broker.ends(topic.name);
      const before = await leaders();
      await kill(before[ends.indexOf(3)]!);
      expect(await answered(() => broker.ends(topic.name))).toEqual(ends);
      await restart();
      await until(async () => String(await leaders()) === String(before));
      expect(await timed(broker.ends(topic.name))).toBeLessThan(AT_ONCE_MS);
      expect(await broker.ends(topic.name)).toEqual(ends);
    });

    it('is unavailable while two of three nodes are dead, and loses nothing', async () => {
      const broker = await start();
      const handled = await listen(broker, 'g');
      sequences = new Sequences(broker, topic.name, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
      await until(() => handled.length > 200);
      await Promise.all([kill(0), kill(1)]);
      await expect(broker.publish(topic.name, records('h', 1))).rejects.toMatchObject({ kind: 'unavailable' });
      await restart();
      const before = handled.length;
      await until(() => handled.length > before + 200);
      await sequences.stop();
      await until(() => isCaughtUp(broker, 'g'));
      await sequences.expectIn(handled);
    });
  },
  { nodes: NODES },
);
