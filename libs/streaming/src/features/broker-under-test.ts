import { afterEach, beforeEach } from '@jest/globals';
import { randomBase62, type ShiftedClock } from '@tidings/kernel';
import { partitionOf } from '../partition.ts';
import {
  type Broker,
  DEAD_LETTER_TOPIC,
  type InRecord,
  type OutRecord,
  type RecordBatch,
  type SubscribeOptions,
  type TopicKind,
  type TopicSpec,
} from '../broker-port.ts';

/** The store of one adapter's brokers during a test, which outlasts them. */
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

/** A listener, and the records that arrived. */
interface Listener {
  readonly got: InRecord[];
  readonly texts: () => string[];
  readonly group: string;
  readonly stop: () => Promise<void>;
}

export const HOUR_MS = 3_600_000;

export const text = ({ value }: Pick<InRecord, 'value'>): string => Buffer.from(value).toString();
export const record = (key: string, value: string): OutRecord => ({ key, value: Buffer.from(value) });
export const records = (key: string, ...values: (string | number)[]): OutRecord[] =>
  values.map((v) => record(key, `${v}`));
export const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
export const newGroup = (): string => `g-${randomBase62(10)}`;

/** A key for each partition, in order. */
export function keysOf(partitions: number): string[] {
  const keys: string[] = [];
  for (let i = 0; keys.filter(Boolean).length < partitions; i++)
    keys[partitionOf(`key-${i}`, partitions)] ??= `key-${i}`;
  return keys;
}

/** A promise that is resolved by hand. */
export function latch(): { readonly released: Promise<void>; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { released: promise, release: resolve };
}

/** The broker that each test of the suite around it looks at, with a world and topics of its own. */
export class BrokerUnderTest {
  world!: BrokerWorld;
  /** The one that was started last. */
  broker!: Broker;
  /** Declared before each test, of kind `facts`, with one partition. */
  topic!: string;
  #topics: TopicSpec[] = [];
  #open: Broker[] = [];

  constructor(makeWorld: () => Promise<BrokerWorld>) {
    beforeEach(async () => {
      this.world = await makeWorld();
      this.#topics = [{ name: DEAD_LETTER_TOPIC, kind: 'facts', partitions: 1, retentionMs: 24 * HOUR_MS }];
      this.topic = this.declare();
      this.#open = [];
    });
    afterEach(async () => {
      // One that has crashed does not close in order.
      for (const one of this.#open) await one.close().catch(() => undefined);
      await this.world.dispose();
    });
  }

  /** Names a topic that {@link start} makes. */
  readonly declare = (kind: TopicKind = 'facts', partitions = 1, retentionMs = 24 * HOUR_MS): string => {
    const spec = this.declareLater(kind, partitions, retentionMs);
    this.#topics.push(spec);
    return spec.name;
  };

  /** A topic that nothing makes yet. */
  readonly declareLater = (kind: TopicKind = 'facts', partitions = 1, retentionMs = 24 * HOUR_MS): TopicSpec => ({
    name: `t-${randomBase62(10)}`,
    kind,
    partitions,
    retentionMs,
  });

  /** Opens a broker with what has been declared; it ends with the test. */
  readonly start = async (): Promise<Broker> => {
    this.broker = await this.world.open(this.#topics);
    this.#open.push(this.broker);
    return this.broker;
  };

  /** Subscribes to the topic and keeps what arrives. */
  readonly listen = async (
    options: Partial<SubscribeOptions> & { onBatch?: (batch: RecordBatch) => unknown } = {},
  ): Promise<Listener> => {
    const { onBatch, ...rest } = options;
    const got: InRecord[] = [];
    const settings = { group: newGroup(), topics: [this.topic], ...rest };
    const subscription = await this.broker.subscribe({
      handler: async (batch) => {
        await onBatch?.(batch);
        got.push(...batch.records);
      },
      ...settings,
    });
    return { got, texts: () => got.map(text), group: settings.group, stop: () => subscription.stop() };
  };

  readonly lagOf = async (group: string): Promise<number> =>
    (await this.broker.lag(group)).reduce((sum, { committed, end }) => sum + end - committed, 0);
}
