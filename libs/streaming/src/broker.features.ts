import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault, randomBase62, type ShiftedClock } from '@tidings/kernel';
import { consume, type Incident } from './consume.ts';
import { type DeadLetter, readDeadLetter, redrive } from './dead-letters.ts';
import { partitionOf } from './partition.ts';
import {
  type Broker,
  type InRecord,
  LARGEST_RECORD_BYTES,
  type OutRecord,
  DEAD_LETTER_TOPIC,
  type RecordBatch,
  type SubscribeOptions,
  type TopicKind,
  type TopicSpec,
} from './port.ts';

/** Where brokers of one adapter live during a test: a store that outlasts them. */
export interface BrokerWorld {
  readonly clock: ShiftedClock;
  /**
   * Opens a broker, as a process of its own would: the next one after the one before was closed or has crashed, and side by side with others
   * where the adapter can do that. Creates topics that are not there yet.
   */
  open(topics: readonly TopicSpec[]): Promise<Broker>;
  /** Ends a broker as the death of its process would, while handlers may be under way: it stores nothing any more. */
  crash(broker: Broker): Promise<void>;
  /** Does now what the adapter does in the background: trimming, compaction. */
  maintain(broker: Broker): Promise<void>;
  dispose(): Promise<void>;
}

/** What an adapter guarantees beyond the port; the suite asks for no more. */
export interface BrokerGuarantees {
  /** Offsets of a partition are 0, 1, 2 …, whatever happens to publishers. */
  readonly gaplessOffsets: boolean;
  /** Records of work topics that every group has passed are removed by `maintain`. */
  readonly trimsWork: boolean;
  /** `maintain` removes records that are too old by the world's clock. */
  readonly retentionByClock: boolean;
  /** `maintain` leaves the newest record of each key in a compacted topic that has grown by more than a thousand records. */
  readonly compacts: boolean;
  /** A batch that is not full waits for as long as its subscription says. */
  readonly lingers: boolean;
  /** Any number of processes may have a broker open at once. */
  readonly manyProcesses: boolean;
}

const HOUR_MS = 3_600_000;
const PATIENCE_MS = 60_000;

/** Waits until the condition holds. */
async function until(condition: () => unknown, what = String(condition)): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`);
    await delay(5);
  }
}

const text = ({ value }: Pick<InRecord, 'value'>): string => Buffer.from(value).toString();
const record = (key: string, value: string): OutRecord => ({ key, value: Buffer.from(value) });
const records = (key: string, ...values: (string | number)[]): OutRecord[] => values.map((v) => record(key, `${v}`));
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** A key for each partition, in order. */
function keysOf(partitions: number): string[] {
  const keys: string[] = [];
  for (let i = 0; keys.filter(Boolean).length < partitions; i++)
    keys[partitionOf(`key-${i}`, partitions)] ??= `key-${i}`;
  return keys;
}

/** A promise and its key. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

/**
 * What every adapter of the broker must do, as a Jest suite. Each test has a world and topics of its own.
 */
export function brokerFeatures(
  name: string,
  makeWorld: () => Promise<BrokerWorld>,
  guarantees: BrokerGuarantees,
): void {
  const onlyIf = (guaranteed: boolean): typeof it => (guaranteed ? it : ((() => undefined) as unknown as typeof it));

  describe(name, () => {
    let world: BrokerWorld;
    let broker: Broker;
    let topics: TopicSpec[];
    let topic: string;
    let open: Broker[];

    const declare = (kind: TopicKind = 'facts', partitions = 1, retentionMs = 24 * HOUR_MS): string => {
      const spec = { name: `t-${randomBase62(10)}`, kind, partitions, retentionMs };
      topics.push(spec);
      return spec.name;
    };
    const start = async (): Promise<Broker> => {
      broker = await world.open(topics);
      open.push(broker);
      return broker;
    };
    const group = (): string => `g-${randomBase62(10)}`;

    /** Subscribes and keeps what arrives. */
    const listen = async (
      options: Partial<SubscribeOptions> & { onBatch?: (batch: RecordBatch) => unknown } = {},
    ): Promise<{ got: InRecord[]; texts: () => string[]; group: string; stop: () => Promise<void> }> => {
      const { onBatch, ...rest } = options;
      const got: InRecord[] = [];
      const settings = { group: group(), topics: [topic], ...rest };
      const subscription = await broker.subscribe({
        handler: async (batch) => {
          await onBatch?.(batch);
          got.push(...batch.records);
        },
        ...settings,
      });
      return { got, texts: () => got.map(text), group: settings.group, stop: () => subscription.stop() };
    };
    const lagOf = async (of: string): Promise<number> =>
      (await broker.lag(of)).reduce((sum, { committed, end }) => sum + end - committed, 0);

    beforeEach(async () => {
      world = await makeWorld();
      topics = [{ name: DEAD_LETTER_TOPIC, kind: 'facts', partitions: 1, retentionMs: 24 * HOUR_MS }];
      topic = declare();
      open = [];
    });

    afterEach(async () => {
      for (const one of open) await one.close().catch(() => undefined);
      await world.dispose();
    });

    describe('publishing', () => {
      it('tells where each record came to lie', async () => {
        topic = declare('facts', 3);
        await start();
        const sent = numbers(0, 30).map((i) => record(`key-${i % 7}`, `${i}`));
        const positions = [
          ...(await broker.publish(topic, sent.slice(0, 20))),
          ...(await broker.publish(topic, sent.slice(20))),
        ];
        expect(positions.map(({ partition }) => partition)).toEqual(sent.map(({ key }) => partitionOf(key, 3)));
        const { got } = await listen();
        await until(() => got.length === 30);
        const found = new Map(got.map((one) => [`${one.partition}/${one.offset}`, `${one.key}=${text(one)}`]));
        expect(positions.map(({ partition, offset }) => found.get(`${partition}/${offset}`))).toEqual(
          sent.map((one) => `${one.key}=${text(one)}`),
        );
      });

      it('publishes nothing at once', async () => {
        await start();
        expect(await broker.publish(topic, [])).toEqual([]);
      });

      it('keeps the order of each key', async () => {
        topic = declare('facts', 4);
        await start();
        const keys = numbers(0, 12).map((i) => `key-${i}`);
        await Promise.all(keys.flatMap((key) => numbers(0, 25).map((n) => broker.publish(topic, records(key, n)))));
        const { got } = await listen({ maxRecords: 7 });
        await until(() => got.length === 300);
        for (const key of keys) {
          expect(got.filter((one) => one.key === key).map(text)).toEqual(numbers(0, 25).map(String));
        }
      });

      onlyIf(guarantees.gaplessOffsets)('numbers the records of concurrent publishers without gaps', async () => {
        topic = declare('facts', 2);
        await start();
        const published = await Promise.all(
          numbers(0, 60).map((i) =>
            broker.publish(
              topic,
              numbers(0, 10).map((n) => record(`key-${i}-${n}`, 'x')),
            ),
          ),
        );
        const byPartition = [0, 1].map((partition) =>
          published.flat().flatMap((position) => (position.partition === partition ? [position.offset] : [])),
        );
        for (const offsets of byPartition) {
          expect(offsets.toSorted((a, b) => a - b)).toEqual(numbers(0, offsets.length));
        }
        expect(byPartition.flat()).toHaveLength(600);
      });

      it('keeps keys, values and the time of the publisher', async () => {
        await start();
        const value = Buffer.from([0, 255, 1, 254]);
        const before = world.clock.now();
        await broker.publish(topic, [{ key: '', value }, record('schlüssel/🔑', ''), record('z', 'ende')]);
        value.fill(7);
        const { got } = await listen();
        await until(() => got.length === 3);
        expect(got.map(({ key, value }) => [key, [...value]])).toEqual([
          ['', [0, 255, 1, 254]],
          ['schlüssel/🔑', []],
          ['z', [...Buffer.from('ende')]],
        ]);
        for (const { timestamp } of got) {
          expect(timestamp).toBeGreaterThanOrEqual(before);
          expect(timestamp).toBeLessThanOrEqual(world.clock.now());
        }
      });

      it('keeps headers, of the records that have any', async () => {
        await start();
        const traced = {
          ...record('a', '3'),
          headers: { traceparent: '00-4bf9-01', tracestate: 'schlüssel=🔑' },
        };
        await broker.publish(topic, [record('a', '1'), { ...record('a', '2'), headers: {} }, traced]);
        await broker.publish(topic, [record('a', '4')]);
        const { got } = await listen();
        await until(() => got.length === 4);
        expect(got.map(({ headers }) => headers)).toEqual([undefined, undefined, traced.headers, undefined]);
      });

      it('carries records as large as the port allows, and refuses larger ones', async () => {
        await start();
        const large = Buffer.alloc(LARGEST_RECORD_BYTES - 'large'.length, 'x');
        await broker.publish(topic, [{ key: 'large', value: large }, ...records('small', 1)]);
        const tooLarge = [...records('small', 2), { key: 'larger', value: large }];
        await expect(broker.publish(topic, tooLarge)).rejects.toMatchObject({ kind: 'tooLarge' });
        await broker.publish(topic, records('small', 3));
        const { got } = await listen();
        await until(() => got.length === 3);
        expect(Buffer.compare(got[0]?.value ?? Buffer.alloc(0), large)).toBe(0);
        expect(got.slice(1).map(text)).toEqual(['1', '3']);
      });

      it('refuses a topic that was not declared', async () => {
        await start();
        await expect(broker.publish('unheard-of', records('a', 1))).rejects.toBeInstanceOf(Fault);
      });
    });

    describe('handing over', () => {
      it('gives a handler what is published while it listens', async () => {
        await start();
        const { texts } = await listen();
        await broker.publish(topic, records('a', 1, 2));
        await until(() => texts().length === 2);
        await broker.publish(topic, records('a', 3));
        await until(() => texts().length === 3);
        expect(texts()).toEqual(['1', '2', '3']);
      });

      it('hands over one batch of a partition at a time, no longer than asked for', async () => {
        await start();
        let active = 0;
        const seen: number[] = [];
        await broker.publish(topic, records('a', ...numbers(0, 50)));
        const { texts } = await listen({
          maxRecords: 8,
          onBatch: async (batch) => {
            active++;
            seen.push(active, batch.records.length);
            await delay(1);
            active--;
          },
        });
        await until(() => texts().length === 50);
        expect(texts()).toEqual(numbers(0, 50).map(String));
        expect(Math.max(...seen)).toBeLessThanOrEqual(8);
        expect(seen.filter((_, i) => i % 2 === 0).every((count) => count === 1)).toBe(true);
      });

      it('starts a new group at the earliest or the latest record', async () => {
        await start();
        await broker.publish(topic, records('a', 1, 2));
        const earliest = await listen({ from: 'earliest' });
        const latest = await listen({ from: 'latest' });
        await until(async () => (await lagOf(latest.group)) === 0);
        await broker.publish(topic, records('a', 3));
        await until(() => earliest.got.length === 3 && latest.got.length === 1);
        expect(earliest.texts()).toEqual(['1', '2', '3']);
        expect(latest.texts()).toEqual(['3']);
      });

      it('serves groups independently', async () => {
        await start();
        const stuck = gate();
        await broker.publish(topic, records('a', 1, 2, 3));
        const slow = await listen({ onBatch: () => stuck.passed });
        const quick = await listen();
        await until(() => quick.got.length === 3);
        expect(slow.got).toEqual([]);
        stuck.open();
        await until(() => slow.got.length === 3);
      });

      it('delivers again what a handler failed with, and nothing is lost', async () => {
        topic = declare('facts', 2);
        await start();
        const failed = new Set<string>();
        await broker.publish(
          topic,
          numbers(0, 40).map((i) => record(`key-${i}`, `${i}`)),
        );
        const { got, texts } = await listen({
          maxRecords: 5,
          onBatch: ({ partition, records: [first] }) => {
            const batch = `${partition}/${first?.offset}`;
            if (failed.has(batch)) return;
            failed.add(batch);
            throw new Error('not the first time');
          },
        });
        await until(() => got.length >= 40);
        expect(new Set(texts())).toEqual(new Set(numbers(0, 40).map(String)));
      });

      it('goes on behind the records that a handler is done with', async () => {
        await start();
        const seen: string[][] = [];
        await broker.publish(topic, records('a', ...numbers(0, 5)));
        const { group: name } = await listen({
          handler: async ({ records: batch }) => {
            seen.push(batch.map(text));
            return Math.min(2, batch.length);
          },
        });
        await until(async () => (await broker.lag(name))[0]?.committed === 5);
        expect(seen[0]?.slice(0, 2)).toEqual(['0', '1']);
        expect(seen.map(([first]) => first)).toEqual(['0', '2', '4']);
      });

      onlyIf(guarantees.lingers)('waits a moment for fuller batches where asked to', async () => {
        await start();
        const sizes: number[] = [];
        const { got } = await listen({ lingerMs: 1_000, onBatch: (batch) => sizes.push(batch.records.length) });
        for (const n of numbers(0, 3)) await broker.publish(topic, records('a', n));
        await until(() => got.length === 3);
        expect(sizes).toEqual([3]);
      });

      onlyIf(guarantees.lingers)('hands a full batch over at once, and stops without waiting for another', async () => {
        await start();
        const patient = await listen({ lingerMs: 60_000, maxRecords: 2 });
        await broker.publish(topic, records('a', 1, 2, 3));
        await until(() => patient.got.length === 2);
        await patient.stop();
        const next = await listen({ group: patient.group });
        await until(() => next.got.length === 1);
        expect([...patient.texts(), ...next.texts()]).toEqual(['1', '2', '3']);
      });

      it('delivers everything again when none is done with', async () => {
        await start();
        let calls = 0;
        await broker.publish(topic, records('a', 1, 2));
        const { group: name } = await listen({ handler: async () => (++calls < 3 ? 0 : undefined) });
        await until(async () => (await lagOf(name)) === 0 && calls >= 3);
        expect(calls).toBe(3);
      });
    });

    describe('groups', () => {
      it('shares the partitions among members, and again when one leaves', async () => {
        topic = declare('facts', 4);
        await start();
        const name = group();
        const keys = keysOf(4);
        const one = await listen({ group: name });
        const two = await listen({ group: name });
        const partitionsOf = ({ got }: { got: InRecord[] }): Set<number> =>
          new Set(got.map(({ partition }) => partition));
        // A member may take a while to join: publish until both have work.
        await until(async () => {
          await broker.publish(
            topic,
            keys.map((key) => record(key, 'x')),
          );
          return partitionsOf(two).size > 0;
        });
        await until(async () => (await lagOf(name)) === 0);
        one.got.length = 0;
        two.got.length = 0;
        await broker.publish(
          topic,
          keys.map((key) => record(key, 'y')),
        );
        await until(() => one.got.length + two.got.length === 4);
        expect([partitionsOf(one).size, partitionsOf(two).size]).toEqual([2, 2]);
        await one.stop();
        two.got.length = 0;
        await broker.publish(
          topic,
          keys.map((key) => record(key, 'z')),
        );
        await until(() => partitionsOf(two).size === 4);
        expect(two.texts()).toEqual(['z', 'z', 'z', 'z']);
      });

      it('refuses a member that subscribes to other topics than its group', async () => {
        const other = declare();
        await start();
        const name = group();
        const first = await listen({ group: name, topics: [topic, other] });
        await listen({ group: name, topics: [other, topic] });
        for (const different of [[topic], [], [topic, other, DEAD_LETTER_TOPIC]]) {
          await expect(listen({ group: name, topics: different })).rejects.toMatchObject({ kind: 'argument' });
        }
        expect((await broker.lag(name)).map((lag) => lag.topic).toSorted()).toEqual([topic, other].toSorted());
        await first.stop();
        await expect(listen({ group: name })).rejects.toMatchObject({ kind: 'argument' });
      });

      it('takes other topics from a group once its members have left', async () => {
        const other = declare();
        await start();
        const first = await listen();
        await first.stop();
        await broker.publish(other, records('a', 1));
        const second = await listen({ group: first.group, topics: [topic, other] });
        await until(() => second.got.length === 1);
      });

      it('handles partitions side by side', async () => {
        topic = declare('facts', 2);
        await start();
        const stuck = gate();
        const keys = keysOf(2);
        await broker.publish(
          topic,
          keys.map((key) => record(key, key)),
        );
        const { got } = await listen({ onBatch: ({ partition }) => (partition === 0 ? stuck.passed : undefined) });
        await until(() => got.length === 1);
        expect(got[0]?.partition).toBe(1);
        stuck.open();
        await until(() => got.length === 2);
      });

      it('tells how far a group is', async () => {
        topic = declare('facts', 2);
        await start();
        const [first = '', second = ''] = keysOf(2);
        await broker.publish(topic, [...records(first, 1, 2, 3), ...records(second, 1)]);
        const stuck = gate();
        const { group: name } = await listen({
          onBatch: ({ partition }) => (partition === 0 ? stuck.passed : undefined),
        });
        const entry = (partition: number, committed: number, end: number): object => ({
          topic,
          partition,
          committed,
          end,
        });
        const sorted = async (): Promise<object[]> =>
          [...(await broker.lag(name))].toSorted((a, b) => a.partition - b.partition);
        await until(async () => (await lagOf(name)) === 3);
        expect(await sorted()).toEqual([entry(0, 0, 3), entry(1, 1, 1)]);
        stuck.open();
        await until(async () => (await lagOf(name)) === 0);
        expect(await sorted()).toEqual([entry(0, 3, 3), entry(1, 1, 1)]);
        expect(await broker.groups()).toContain(name);
        expect(await broker.lag('unheard-of')).toEqual([]);
      });

      it('goes back or forward by seek', async () => {
        await start();
        await broker.publish(topic, records('a', ...numbers(0, 6)));
        const { texts, group: name } = await listen();
        await until(() => texts().length === 6);
        await broker.seek(name, topic, 0, 4);
        await until(() => texts().length === 8);
        expect(texts().slice(6)).toEqual(['4', '5']);
      });

      it('seeks under a handler that is under way', async () => {
        await start();
        const stuck = gate();
        await broker.publish(topic, records('a', ...numbers(0, 6)));
        let calls = 0;
        const { texts, group: name } = await listen({ onBatch: () => (calls++ === 0 ? stuck.passed : undefined) });
        await until(() => calls === 1);
        await broker.seek(name, topic, 0, 5);
        stuck.open();
        await until(() => calls === 2 && texts().length === 7);
        expect(texts().slice(6)).toEqual(['5']);
        await until(async () => (await lagOf(name)) === 0);
      });

      it('seeks a group that is not subscribed', async () => {
        await start();
        await broker.publish(topic, records('a', ...numbers(0, 4)));
        const name = group();
        await (await listen({ group: name, onBatch: () => undefined })).stop();
        await broker.seek(name, topic, 0, 3);
        const { texts } = await listen({ group: name });
        await until(() => texts().length === 1);
        expect(texts()).toEqual(['3']);
      });
    });

    describe('several processes', () => {
      const everyKey = (from: number, to: number): OutRecord[] =>
        numbers(from, to).map((i) => record(`key-${i}`, `${i}`));

      onlyIf(guarantees.manyProcesses)(
        'loses nothing when members join, leave and die in the middle of a batch',
        async () => {
          topic = declare('facts', 6);
          const name = group();
          const handled = new Set<string>();
          const publisher = await start();
          const dying = new Set<Broker>();
          const join = async (): Promise<Broker> => {
            const member = await start();
            await listen({
              group: name,
              maxRecords: 5,
              onBatch: async ({ records: batch }) => {
                await delay(1);
                // Nothing that this process does from here on has any effect.
                if (dying.has(member)) return world.crash(member);
                for (const one of batch) handled.add(text(one));
              },
            });
            return member;
          };
          let published = 0;
          const publish = async (count: number): Promise<void> => {
            await publisher.publish(topic, everyKey(published, (published += count)));
          };
          const handledHalf = (): Promise<void> => until(() => handled.size > published - 100, 'half of it is handled');

          await publish(200);
          const first = await join();
          await handledHalf();
          await publish(200);
          const second = await join();
          await handledHalf();
          await publish(200);
          dying.add(first);
          await until(() => handled.size > published - 200);
          await join();
          await publish(200);
          await second.close();
          broker = publisher;
          await until(() => handled.size === published, 'all is handled');
          await until(async () => (await lagOf(name)) === 0);
        },
      );

      onlyIf(guarantees.manyProcesses)(
        'hands partitions over without handling anything twice when a process ends',
        async () => {
          topic = declare('facts', 4);
          const publisher = await start();
          await publisher.publish(topic, everyKey(0, 400));
          const leaving = await start();
          const before = await listen({ maxRecords: 10, onBatch: () => delay(1) });
          await until(() => before.got.length > 50);
          await leaving.close();
          await start();
          const after = await listen({ group: before.group });
          await until(() => before.got.length + after.got.length >= 400);
          expect([...before.texts(), ...after.texts()].toSorted()).toEqual(everyKey(0, 400).map(text).toSorted());
        },
      );

      onlyIf(guarantees.manyProcesses)(
        'tells in each how far a group of another is, and seeks there for none',
        async () => {
          const other = await start();
          await start();
          await broker.publish(topic, records('a', 1, 2, 3));
          const stuck = gate();
          const { group: name } = await listen({
            maxRecords: 2,
            onBatch: ({ records: [one] }) => one?.offset === 2 && stuck.passed,
          });
          await until(async () => (await other.lag(name))[0]?.committed === 2);
          expect(await other.lag(name)).toEqual([{ topic, partition: 0, committed: 2, end: 3 }]);
          expect(await other.groups()).toContain(name);
          await expect(other.seek(name, topic, 0, 0)).rejects.toMatchObject({ kind: 'conflict' });
          stuck.open();
          await until(async () => (await other.lag(name))[0]?.committed === 3);
        },
      );
    });

    describe('ending', () => {
      it('goes on after a restart where it was', async () => {
        await start();
        await broker.publish(topic, records('a', 1, 2, 3));
        const before = await listen();
        await until(() => before.got.length === 3);
        await broker.close();
        await start();
        expect(await broker.publish(topic, records('a', 4))).toEqual([{ partition: 0, offset: 3 }]);
        const after = await listen({ group: before.group });
        await until(() => after.got.length === 1);
        expect(after.texts()).toEqual(['4']);
      });

      it('stops behind the handlers under way, and remembers what they did', async () => {
        await start();
        const stuck = gate();
        const name = group();
        await broker.publish(topic, records('a', ...numbers(0, 4)));
        let calls = 0;
        const before = await listen({ group: name, maxRecords: 2, onBatch: () => (calls++, stuck.passed) });
        await until(() => calls === 1);
        let stopped = false;
        const stopping = before.stop().then(() => (stopped = true));
        await broker.publish(topic, records('a', 4));
        expect(stopped).toBe(false);
        stuck.open();
        await stopping;
        expect(before.texts()).toEqual(['0', '1']);
        await broker.close();
        await start();
        const after = await listen({ group: name });
        await until(() => after.got.length === 3);
        expect(after.texts()).toEqual(['2', '3', '4']);
      });

      it('delivers again what was handled when the process died before the offset was stored', async () => {
        await start();
        const name = group();
        await broker.publish(topic, records('a', 1, 2));
        const dying = broker;
        let handled: string[] = [];
        await listen({
          group: name,
          onBatch: async ({ records: batch }) => {
            handled = batch.map(text);
            await world.crash(dying);
          },
        });
        await until(() => handled.length > 0);
        await start();
        const after = await listen({ group: name });
        await until(() => after.got.length >= handled.length);
        expect(after.texts().slice(0, handled.length)).toEqual(handled);
      });

      it('keeps what was acknowledged when the process dies', async () => {
        await start();
        await broker.publish(topic, records('a', 1, 2));
        await world.crash(broker);
        await start();
        await broker.publish(topic, records('a', 3));
        const { texts } = await listen();
        await until(() => texts().length === 3);
        expect(texts()).toEqual(['1', '2', '3']);
      });

      it('lets handlers under way publish what they have to before it closes', async () => {
        const results = declare();
        await start();
        const stuck = gate();
        let calls = 0;
        const name = group();
        await listen({
          group: name,
          onBatch: async () => {
            calls++;
            await stuck.passed;
            await broker.publish(results, records('a', 'result'));
          },
        });
        await broker.publish(topic, records('a', 1));
        await until(() => calls === 1);
        const closing = broker.close();
        stuck.open();
        await closing;
        await start();
        const { texts } = await listen({ topics: [results] });
        await until(() => texts().length === 1);
        await listen({ group: name });
        expect(await lagOf(name)).toBe(0);
      });

      it('refuses to publish and subscribe once closed', async () => {
        await start();
        await broker.close();
        await expect(broker.publish(topic, records('a', 1))).rejects.toMatchObject({ kind: 'unavailable' });
        await expect(listen()).rejects.toMatchObject({ kind: 'unavailable' });
      });
    });

    describe('keeping', () => {
      it('has the newest record of each key in a compacted topic, for whoever reads it from the start', async () => {
        topic = declare('compacted');
        await start();
        for (const generation of numbers(0, 4)) {
          await broker.publish(
            topic,
            numbers(0, 20).map((i) => record(`key-${i}`, `${generation}`)),
          );
          await world.maintain(broker);
        }
        const { got, group: name } = await listen();
        await until(async () => (await lagOf(name)) === 0);
        const newest = new Map(got.map((one) => [one.key, text(one)]));
        expect(newest).toEqual(new Map(numbers(0, 20).map((i) => [`key-${i}`, '3'])));
      });

      onlyIf(guarantees.trimsWork)('trims work topics below the slowest group', async () => {
        topic = declare('work');
        await start();
        for (const n of numbers(0, 6)) await broker.publish(topic, records('a', n));
        const stuck = gate();
        const quick = await listen();
        const slow = await listen({
          maxRecords: 1,
          onBatch: ({ records: [first] }) => (first?.offset === 4 ? stuck.passed : undefined),
        });
        await until(() => quick.got.length === 6 && slow.got.length === 4);
        await world.maintain(broker);
        const left = await listen();
        await until(() => left.got.length === 2);
        expect(left.texts()).toEqual(['4', '5']);
        stuck.open();
        await until(() => slow.got.length === 6);
        await world.maintain(broker);
        expect(await broker.publish(topic, records('a', 6))).toEqual([{ partition: 0, offset: 6 }]);
        const late = await listen();
        await until(() => late.got.length === 1);
        expect(late.texts()).toEqual(['6']);
      });

      onlyIf(guarantees.trimsWork)(
        'numbers records on behind those that were trimmed, after a restart too',
        async () => {
          topic = declare('work');
          await start();
          await broker.publish(topic, records('a', 1, 2, 3));
          const { got } = await listen();
          await until(() => got.length === 3);
          await world.maintain(broker);
          await broker.close();
          await start();
          expect(await broker.publish(topic, records('a', 4))).toEqual([{ partition: 0, offset: 3 }]);
        },
      );

      onlyIf(guarantees.retentionByClock)('forgets facts and work when they are too old by the clock', async () => {
        for (const kind of ['facts', 'work'] as const) {
          topic = declare(kind, 1, HOUR_MS);
          await start();
          await broker.publish(topic, records('a', 1, 2));
          world.clock.advance(HOUR_MS / 2);
          await broker.publish(topic, records('a', 3));
          const { texts } = await listen();
          await until(() => texts().length === 3);
          world.clock.advance(HOUR_MS / 2 + 1);
          await world.maintain(broker);
          const late = await listen();
          await until(() => late.got.length === (kind === 'work' ? 0 : 1));
          expect(late.texts()).toEqual(kind === 'work' ? [] : ['3']);
          await broker.close();
        }
      });

      onlyIf(guarantees.compacts)('keeps the newest record of each key in a compacted topic', async () => {
        topic = declare('compacted', 1, HOUR_MS);
        await start();
        const generations = 15;
        for (const generation of numbers(0, generations)) {
          await broker.publish(
            topic,
            numbers(0, 100).map((i) => record(`key-${i}`, `${generation}`)),
          );
        }
        world.clock.advance(24 * HOUR_MS);
        await world.maintain(broker);
        const { got, group: name } = await listen();
        await until(async () => (await lagOf(name)) === 0);
        expect(got.map(({ key }) => key)).toEqual(numbers(0, 100).map((i) => `key-${i}`));
        expect(new Set(got.map(text))).toEqual(new Set([`${generations - 1}`]));
        expect(got[0]?.offset).toBe((generations - 1) * 100);
      });
    });

    describe('consume', () => {
      const utf8 = { decode: (payload: Uint8Array) => Buffer.from(payload).toString() };
      const json = { decode: (payload: Uint8Array) => JSON.parse(Buffer.from(payload).toString()) as { n: number } };

      /** What was dead-lettered of this test's topic. */
      const deadLetters = async (): Promise<DeadLetter[]> => {
        const found: DeadLetter[] = [];
        await broker.subscribe({
          group: group(),
          topics: [DEAD_LETTER_TOPIC],
          handler: async (batch) => {
            found.push(...batch.records.map(({ value }) => readDeadLetter(value)).filter((one) => one.topic === topic));
          },
        });
        return found;
      };

      it('gives decoded values with where they lay', async () => {
        await start();
        const headers = { traceparent: '00-4bf9-01' };
        await broker.publish(topic, [{ ...record('a', '{"n":1}'), headers }, record('a', '{"n":2}')]);
        const got: object[] = [];
        await consume(broker, {
          group: group(),
          topics: { [topic]: json },
          handler: async (batch) => {
            got.push(...batch.map(({ value, offset, key, headers }) => ({ ...value, offset, key, headers })));
          },
        });
        await until(() => got.length === 2);
        expect(got).toEqual([
          { n: 1, offset: 0, key: 'a', headers },
          { n: 2, offset: 1, key: 'a' },
        ]);
      });

      it('dead-letters what cannot be decoded, and the rest flows on', async () => {
        await start();
        await broker.publish(topic, records('a', '{"n":1}', 'no json', '{"n":3}'));
        const got: number[] = [];
        const name = group();
        await consume(broker, {
          group: name,
          topics: { [topic]: json },
          handler: async (batch) => {
            got.push(...batch.map(({ value }) => value.n));
          },
        });
        await until(async () => (await lagOf(name)) === 0);
        const found = await deadLetters();
        await until(() => found.length === 1);
        expect(got).toEqual([1, 3]);
        expect(found[0]).toMatchObject({ reason: 'decode', group: name, topic, partition: 0, offset: 1, key: 'a' });
        expect(Buffer.from(found[0]?.payload ?? []).toString()).toBe('no json');
      });

      it('dead-letters the one record that fails after at most 5 tries, within 5 s, while the others flow', async () => {
        await start();
        const name = group();
        await broker.publish(topic, records('a', ...numbers(0, 200)));
        const got: string[] = [];
        let tries = 0;
        let startedAt = 0;
        await consume(broker, {
          group: name,
          topics: { [topic]: utf8 },
          handler: async (batch) => {
            // From when the partition is served: joining the group takes a slow machine seconds.
            startedAt ||= Date.now();
            for (const { value } of batch) {
              if (value === '77') {
                tries++;
                throw new Error('cannot digest 77');
              }
              got.push(value);
            }
          },
        });
        await until(() => got.includes('199'));
        expect(Date.now() - startedAt).toBeLessThan(5_000);
        expect(tries).toBeLessThanOrEqual(5);
        expect(new Set(got)).toEqual(
          new Set(
            numbers(0, 200)
              .map(String)
              .filter((n) => n !== '77'),
          ),
        );
        const found = await deadLetters();
        await until(() => found.length === 1);
        expect(found[0]).toMatchObject({ reason: 'handler', group: name, offset: 77, key: 'a' });
        expect(found[0]?.error).toContain('cannot digest 77');
        await until(async () => (await lagOf(name)) === 0);
      });

      it('dead-letters the one record that fails among very many with few calls of the handler', async () => {
        await start();
        const [name, count] = [group(), 20_000];
        const [got, incidents] = [new Set<string>(), [] as Incident[]];
        let calls = 0;
        // In several, for each has to be acknowledged in time.
        for (let n = 0; n < count; n += 1_000) await broker.publish(topic, records('a', ...numbers(n, n + 1_000)));
        await consume(broker, {
          group: name,
          topics: { [topic]: utf8 },
          maxRecords: count,
          handler: async (batch) => {
            calls++;
            if (batch.some(({ value }) => value === '15000')) throw new Error('cannot digest 15000');
            for (const { value } of batch) got.add(value);
          },
          report: (incident) => incidents.push(incident),
        });
        await until(async () => (await lagOf(name)) === 0);
        expect(got.size).toBe(count - 1);
        expect(incidents.filter(({ kind }) => kind === 'dead-lettered')).toMatchObject([{ offset: 15_000 }]);
        expect(calls).toBeLessThan(count / 20);
      });

      it('redrives what was dead-lettered to where it came from', async () => {
        await start();
        let broken = true;
        const got: string[] = [];
        const headers = { traceparent: '00-4bf9-01' };
        await consume(broker, {
          group: group(),
          topics: { [topic]: utf8 },
          handler: async (batch) => {
            for (const { value, headers } of batch) {
              if (broken && value === 'b') throw new Error('broken');
              got.push(value + (headers?.['traceparent'] ?? ''));
            }
          },
        });
        await broker.publish(topic, [...records('a', 'a'), { ...record('a', 'b'), headers }, ...records('a', 'c')]);
        const found = await deadLetters();
        await until(() => found.length === 1);
        broken = false;
        expect(await redrive(broker, { only: (one) => one.topic === 'another' })).toBe(0);
        expect(await redrive(broker, { only: (one) => one.topic === topic })).toBe(1);
        await until(() => got.includes('b00-4bf9-01'));
        expect(await redrive(broker, { only: (one) => one.topic === topic })).toBe(0);
      });

      it.each([
        ['just under the limit', LARGEST_RECORD_BYTES - 1],
        ['as large as may be', LARGEST_RECORD_BYTES],
      ])('dead-letters a record %s whole, and drives it again', async (_, bytes) => {
        await start();
        const headers = { traceparent: '00-4bf9-01' };
        const beside = 'k'.length + 'traceparent'.length + headers.traceparent.length;
        const value = Buffer.alloc(bytes - beside, randomBase62(64));
        let broken = true;
        const got: Uint8Array[] = [];
        await consume(broker, {
          group: group(),
          topics: { [topic]: { decode: (payload) => payload } },
          handler: async (batch) => {
            if (broken && batch.some((one) => one.value.length === value.length)) throw new Error('x'.repeat(5_000));
            got.push(...batch.map((one) => one.value));
          },
        });
        await broker.publish(topic, [{ key: 'k', value, headers }, record('k', 'after')]);
        const found = await deadLetters();
        await until(() => found.length === 1 && got.length === 1);
        expect(found[0]).toMatchObject({ key: 'k', headers, reason: 'handler' });
        expect(found[0]!.cut).toBeUndefined();
        broken = false;
        expect(await redrive(broker, { only: (one) => one.topic === topic })).toBe(1);
        await until(() => got.length === 2);
        expect(Buffer.compare(got[1]!, value)).toBe(0);
      });

      it('cuts what has no room when it is dead-lettered, and tells that it cannot be driven again', async () => {
        await start();
        // Written down they take twice their characters.
        const headers = { baggage: 'ü'.repeat(200_000) };
        const value = Buffer.alloc(LARGEST_RECORD_BYTES - 'k'.length - 'baggage'.length - headers.baggage.length, 'v');
        await consume(broker, {
          group: group(),
          topics: { [topic]: utf8 },
          handler: async () => {
            throw new Error('never');
          },
        });
        await broker.publish(topic, [{ key: 'k', value, headers }]);
        const found = await deadLetters();
        await until(() => found.length === 1);
        const sha256 = createHash('sha256').update(value).digest('hex');
        expect(found[0]).toMatchObject({ key: 'k', topic, cut: { payloadBytes: value.length, sha256 } });
        const stuck: DeadLetter[] = [];
        const only = (one: DeadLetter): boolean => one.topic === topic;
        expect(await redrive(broker, { only, stuck: (one) => stuck.push(one) })).toBe(0);
        expect(stuck).toMatchObject([{ topic, cut: { sha256 } }]);
        await until(() => found.length === 2);
        expect(found[1]).toMatchObject({ topic, cut: { sha256 } });
      });

      it('tries again while something is unavailable, and dead-letters nothing', async () => {
        await start();
        await broker.publish(topic, records('a', 1, 2, 3));
        const got: string[] = [];
        const incidents: Incident[] = [];
        let calls = 0;
        await consume(broker, {
          group: group(),
          topics: { [topic]: utf8 },
          report: (incident) => incidents.push(incident),
          handler: async (batch) => {
            if (++calls < 4) throw Fault.unavailable('not now');
            got.push(...batch.map(({ value }) => value));
          },
        });
        await until(() => got.length === 3);
        expect(got).toEqual(['1', '2', '3']);
        expect(incidents.map(({ kind }) => kind)).toEqual(['retried', 'retried', 'retried']);
      });

      it('hands the rest back within 5 s when something stays unavailable, and goes on when it is there again', async () => {
        await start();
        await broker.publish(topic, records('a', 1, 2, 3));
        const incidents: Incident[] = [];
        const got: string[] = [];
        let startedAt = 0;
        const backWithin = (): boolean => incidents.some(({ kind }) => kind === 'returned');
        await consume(broker, {
          group: group(),
          topics: { [topic]: utf8 },
          report: (incident) => incidents.push(incident),
          handler: async (batch) => {
            startedAt ||= Date.now();
            const [first] = got.length === 0 ? batch : [];
            if (!first && !backWithin()) throw Fault.unavailable('not now');
            got.push(...(first ? [first] : batch).map(({ value }) => value));
            return first ? 1 : batch.length;
          },
        });
        await until(backWithin);
        expect(Date.now() - startedAt).toBeLessThan(5_000);
        // 50 ms, twice as long after each, come to 3.2 s by then.
        expect(incidents.filter(({ kind }) => kind === 'retried').length).toBeLessThanOrEqual(6);
        await until(() => got.length === 3);
        expect(got).toEqual(['1', '2', '3']);
      });

      it('does not wait for better times when it is stopped', async () => {
        await start();
        await broker.publish(topic, records('a', 1));
        let calls = 0;
        const subscription = await consume(broker, {
          group: group(),
          topics: { [topic]: utf8 },
          handler: async () => {
            calls++;
            throw Fault.unavailable('never');
          },
        });
        await until(() => calls === 5);
        await subscription.stop();
        // The next try was to come 800 ms later.
        expect(calls).toBe(5);
      });

      it('takes the number of records that a handler is done with', async () => {
        await start();
        await broker.publish(topic, records('a', '{"n":0}', 'no json', '{"n":2}', '{"n":3}'));
        const firsts: number[] = [];
        const name = group();
        await consume(broker, {
          group: name,
          topics: { [topic]: json },
          handler: async (batch) => {
            firsts.push(batch[0]?.value.n ?? -1);
            return 1;
          },
        });
        await until(async () => (await lagOf(name)) === 0);
        expect(firsts).toEqual([0, 2, 3]);
        const found = await deadLetters();
        await until(() => found.length === 1);
      });
    });
  });
}
