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

export interface BrokerWorld {
  readonly clock: ShiftedClock;
  open(topics: readonly TopicSpec[]): Promise<Broker>;
  crash(broker: Broker): Promise<void>;
  maintain(broker: Broker): Promise<void>;
  dispose(): Promise<void>;
}

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

export function keysOf(partitions: number): string[] {
  const keys: string[] = [];
  for (let i = 0; keys.filter(Boolean).length < partitions; i++)
    keys[partitionOf(`key-${i}`, partitions)] ??= `key-${i}`;
  return keys;
}

export function latch(): { readonly released: Promise<void>; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { released: promise, release: resolve };
}

export class BrokerUnderTest {
  world!: BrokerWorld;
  broker!: Broker;
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
      for (const one of this.#open) await one.close().catch(() => undefined);
      await this.world.dispose();
    });
  }

  readonly declare = (kind: TopicKind = 'facts', partitions = 1, retentionMs = 24 * HOUR_MS): string => {
    const spec = this.declareLater(kind, partitions, retentionMs);
    this.#topics.push(spec);
    return spec.name;
  };

  readonly declareLater = (kind: TopicKind = 'facts', partitions = 1, retentionMs = 24 * HOUR_MS): TopicSpec => ({
    name: `t-${randomBase62(10)}`,
    kind,
    partitions,
    retentionMs,
  });

  readonly start = async (): Promise<Broker> => {
    this.broker = await this.world.open(this.#topics);
    this.#open.push(this.broker);
    return this.broker;
  };

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
