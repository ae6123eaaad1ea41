import { setTimeout as delay } from 'node:timers/promises';
import { type Broker, consume, type Decoded, type Readers } from '@tidings/streaming';
import type { ReplayedPartition } from '../storage/projections.schema.ts';

const MAX_RECORDS = 20_000;
/** Offsets also pass records that reach no handler, removed or undecodable. */
const LOOK_EVERY_MS = 500;

export interface ReadingOptions<R extends Readers> {
  readonly group: string;
  readonly topics: R;
  readonly partitions: ReplayedPartition[];
  /** It takes facts from the records and returns the rest of the work, which must be idempotent. */
  readonly handler: (records: readonly Decoded<R>[]) => () => Promise<void>;
  readonly skipped: (count: number) => void;
  readonly progressed: () => Promise<void>;
  readonly signal: AbortSignal;
}

const placeOf = ({ topic, partition }: { readonly topic: string; readonly partition: number }): string =>
  `${topic}/${partition}`;

/** @throws when it is aborted */
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
