import { setTimeout as delay } from 'node:timers/promises';
import { type Broker, consume, type Decoded, type Readers } from '@tidings/streaming';
import type { ReplayedPartition } from '../storage/projections.schema.ts';

const MAX_RECORDS = 20_000;
/** Offsets also pass records that reach no handler. */
const POLL_INTERVAL_MS = 500;

export interface ReadingOptions<R extends Readers> {
  readonly group: string;
  readonly topics: R;
  readonly partitions: ReplayedPartition[];
  /** Takes facts from the records and returns the rest of the work, which must be idempotent. */
  readonly handler: (records: readonly Decoded<R>[]) => () => Promise<void>;
  readonly skipped: (count: number) => void;
  readonly progressed: () => Promise<void>;
  readonly signal: AbortSignal;
}

const partitionKeyOf = ({ topic, partition }: { readonly topic: string; readonly partition: number }): string =>
  `${topic}/${partition}`;

/** @throws when it is aborted */
export async function readToEnds<const R extends Readers>(
  broker: Pick<Broker, 'subscribe' | 'lag'>,
  { group, topics, partitions, handler, skipped, progressed, signal }: ReadingOptions<R>,
): Promise<void> {
  const started = Promise.withResolvers<Map<string, ReplayedPartition>>();
  started.promise.catch(() => undefined);
  const ended = Promise.withResolvers<void>();
  const isOver = (): boolean => partitions.every(({ topic, next, to }) => !(topic in topics) || next >= to);
  const withoutDeadLetters: Parameters<typeof consume>[0] = {
    subscribe: (options) => broker.subscribe(options),
    async publish(_topic, records) {
      skipped(records.length);
      return [];
    },
  };
  const subscription = await consume(withoutDeadLetters, {
    group,
    topics,
    maxRecords: MAX_RECORDS,
    handler(records) {
      const finish = handler(records);
      const [first, last] = [records[0]!, records.at(-1)!];
      const [key, offset, firstAt, next] = [
        partitionKeyOf(first),
        first.offset,
        new Date(first.timestamp),
        last.offset + 1,
      ];
      return (async () => {
        const progress = (await started.promise).get(key);
        await finish();
        if (!progress) return;
        if (!progress.firstAt && offset <= progress.from) progress.firstAt = firstAt;
        progress.next = Math.max(progress.next, next);
        if (isOver()) ended.resolve();
      })();
    },
  });
  try {
    for (const { topic, partition, committed, end } of await broker.lag(group)) {
      const replayed = partitions.find((each) => each.topic === topic && each.partition === partition);
      if (replayed) Object.assign(replayed, { to: end, next: Math.max(replayed.next, committed) });
      else partitions.push({ topic, partition, from: committed, next: committed, to: end });
    }
    started.resolve(new Map(partitions.map((each) => [partitionKeyOf(each), each])));
    while (!isOver()) {
      signal.throwIfAborted();
      await Promise.race([ended.promise, delay(POLL_INTERVAL_MS)]);
      await progressed();
      for (const { topic, partition, committed } of await broker.lag(group)) {
        const replayed = partitions.find((each) => each.topic === topic && each.partition === partition);
        if (replayed) replayed.next = Math.max(replayed.next, committed);
      }
    }
  } catch (error) {
    started.reject(error);
    throw error;
  } finally {
    await subscription.stop();
  }
}
