import { setTimeout as delay } from 'node:timers/promises';
import { type Broker, consume, type Decoded, type Readers } from '@tidings/streaming';
import type { ReplayedPartition } from '../storage/projections.schema.ts';

/** Maximum records of a batch, as in the live consumer: many reports cost a write little more than few. Queries are answered between batches. */
const MAX_RECORDS = 20_000;
/** Interval of looks at the group's offsets, which also pass records that reach no handler: removed ones, and ones that cannot be decoded. */
const LOOK_EVERY_MS = 500;

export interface ReadingOptions<R extends Readers> {
  readonly group: string;
  readonly topics: R;
  /** Progress by partition, including the progress of an earlier process with the same group; updated as records are handled. */
  readonly partitions: ReplayedPartition[];
  /** Takes what it needs from the records, and returns the rest of their handling. Must be idempotent. */
  readonly handler: (records: readonly Decoded<R>[]) => () => Promise<void>;
  /** Counts records that could not be handled. They are on the dead letters of the live group. */
  readonly skipped: (count: number) => void;
  /** Called twice a second. */
  readonly progressed: () => Promise<void>;
  readonly signal: AbortSignal;
}

const placeOf = ({ topic, partition }: { readonly topic: string; readonly partition: number }): string =>
  `${topic}/${partition}`;

/** Reads the records that topics have when it is called, and returns when all are handled. @throws when it is aborted */
export async function readToEnds<const R extends Readers>(
  broker: Pick<Broker, 'subscribe' | 'lag'>,
  { group, topics, partitions, handler, skipped, progressed, signal }: ReadingOptions<R>,
): Promise<void> {
  const began = Promise.withResolvers<Map<string, ReplayedPartition>>();
  began.promise.catch(() => undefined);
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
      const rest = handler(records);
      const [first, last] = [records[0]!, records.at(-1)!];
      const [place, offset, firstAt, next] = [placeOf(first), first.offset, new Date(first.timestamp), last.offset + 1];
      return (async () => {
        const reached = (await began.promise).get(place);
        await rest();
        if (!reached) return;
        if (!reached.firstAt && offset <= reached.from) reached.firstAt = firstAt;
        reached.next = Math.max(reached.next, next);
        if (isOver()) ended.resolve();
      })();
    },
  });
  try {
    for (const { topic, partition, committed, end } of await broker.lag(group)) {
      const known = partitions.find((each) => each.topic === topic && each.partition === partition);
      if (known) Object.assign(known, { to: end, next: Math.max(known.next, committed) });
      else partitions.push({ topic, partition, from: committed, next: committed, to: end });
    }
    began.resolve(new Map(partitions.map((each) => [placeOf(each), each])));
    while (!isOver()) {
      signal.throwIfAborted();
      await Promise.race([ended.promise, delay(LOOK_EVERY_MS)]);
      await progressed();
      for (const { topic, partition, committed } of await broker.lag(group)) {
        const known = partitions.find((each) => each.topic === topic && each.partition === partition);
        if (known) known.next = Math.max(known.next, committed);
      }
    }
  } catch (error) {
    began.reject(error);
    throw error;
  } finally {
    await subscription.stop();
  }
}
