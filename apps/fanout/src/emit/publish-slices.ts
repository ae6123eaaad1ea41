import { channelServing } from '@tidings/channels';
import { type RecipientSetKey, type SendingApplication, sliceSizeOf } from '@tidings/delivery';
import { type BadgesAllotted, batchesTopic, type ChunkPlanned } from '@tidings/events';
import type { Bitmap, Clock } from '@tidings/kernel';
import type { Broker } from '@tidings/streaming';
import { isRated, laneOf, type Released } from '../release/outgoing-message.ts';
import { batchHead } from './batch-head.ts';
import type { EmittedBatch } from './batch-writer.ts';
import type { Buffers } from './buffer-pool.ts';
import type { EmissionMetrics } from './emission-metrics.ts';
import type { SliceStatusStore } from './slice-statuses.ts';

const BATCHES_PER_PUBLISH = 4;

export interface PublishDeps {
  readonly clock: Clock;
  readonly broker: Broker;
  readonly statuses: SliceStatusStore;
  readonly metrics: EmissionMetrics;
}

export interface SlicesToEmit {
  readonly application: SendingApplication | undefined;
  readonly key: RecipientSetKey;
  readonly recipients: Bitmap;
  readonly planned: ChunkPlanned;
  readonly badges: BadgesAllotted | undefined;
  readonly slices: readonly number[];
  readonly isRepeat: (number: number) => boolean;
  readonly outcomesAgain?: boolean;
}

export async function publishSlices(
  { clock, broker, statuses, metrics }: PublishDeps,
  message: Released,
  of: SlicesToEmit,
  { writer, columns }: Buffers,
): Promise<void> {
  const { key, recipients, planned, badges, slices, isRepeat, outcomesAgain = false } = of;
  const channel = channelServing(key);
  const topic = batchesTopic(channel, laneOf(message) === 'direct');
  const publish = async (batches: readonly EmittedBatch[]): Promise<void> => {
    const records = batches.map(({ record }) => record);
    const positions = await broker.publish(topic, records);
    if (outcomesAgain) return;
    const at = clock.now();
    const emitted = batches.flatMap((batch, i) =>
      batch.slices.map((number) => ({ number, emission: { ...positions[i]!, at } })),
    );
    for (const { number } of emitted) metrics.emitted(channel, isRepeat(number));
    // Another pacer may continue at any time.
    if (isRated(message)) await statuses.emitted(key, emitted);
    else statuses.bufferEmitted(key, emitted);
  };
  let publishing = Promise.resolve();
  let group: EmittedBatch[] = [];
  const flush = async (): Promise<void> => {
    await publishing;
    publishing = publish(group);
    // It is awaited later.
    publishing.catch(() => undefined);
    group = [];
  };
  for (const batch of writer.write(columns, {
    key,
    head: { ...batchHead(message, key, of), outcomesAgain },
    recipients,
    sliceSize: sliceSizeOf(planned),
    slices,
    badges,
  })) {
    if (group.push(batch) === BATCHES_PER_PUBLISH) await flush();
  }
  if (group.length > 0) await flush();
  await publishing;
}
