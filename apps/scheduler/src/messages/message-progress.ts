import type { PlanEvent } from '@tidings/events';
import { chunkOf, Bitmap, positionOf } from '@tidings/kernel';
import type { Binary } from 'mongodb';

/** Which chunks a message was split into and which of them are settled, per application: the count that closes it (sending 2). */
export interface Progress {
  readonly fanouts: Readonly<Record<string, Fanout>>;
}

interface Fanout {
  /** Unknown until FanoutPlanned was seen: facts of one message may arrive out of order. */
  readonly planned?: Bitmap;
  readonly settled: Bitmap;
}

export const noProgress: Progress = { fanouts: {} };

/** Applies a plan event; order and repeats change nothing. */
export function advance(progress: Progress, event: PlanEvent): Progress {
  const key = `${event.application}/${event.bucket}`;
  const fanout = progress.fanouts[key] ?? { settled: Bitmap.empty };
  switch (event.event?.$case) {
    case 'fanout':
      return { fanouts: { ...progress.fanouts, [key]: { ...fanout, planned: Bitmap.of(event.event.value.chunks) } } };
    case 'settled': {
      const settled = fanout.settled.union(Bitmap.of([event.event.value.chunk]));
      return { fanouts: { ...progress.fanouts, [key]: { ...fanout, settled } } };
    }
    default:
      return progress;
  }
}

/** True when every planned chunk of each of the message's applications is settled. */
export const isComplete = (progress: Progress, applications: readonly string[]): boolean =>
  applications.every((application) => {
    const fanout = progress.fanouts[`${application}/0`];
    return fanout?.planned !== undefined && fanout.planned.minus(fanout.settled).size === 0;
  });

/** The joinings of 65,536 buckets lie together, as those of a chunk's devices do. */
const joinsOf = (bucket: number): string => `joins/${chunkOf(bucket)}`;

/** Applies a plan event of a message that recipients join, each in a bucket with one chunk; order and repeats change nothing. */
export function advanceJoins(progress: Progress, { bucket, event }: PlanEvent): Progress {
  if (event?.$case !== 'settled') return progress;
  const key = joinsOf(bucket);
  const settled = (progress.fanouts[key]?.settled ?? Bitmap.empty).union(Bitmap.of([positionOf(bucket)]));
  return { fanouts: { ...progress.fanouts, [key]: { settled } } };
}

/** True when all that have joined so far are settled. */
export const areJoinsSettled = (progress: Progress, joined: number): boolean =>
  Object.values(progress.fanouts).reduce((sum, { settled }) => sum + settled.size, 0) >= joined;

/** The stored form: `_id` = message code. */
export interface ProgressDocument {
  readonly fanouts: Readonly<Record<string, FanoutDocument>>;
}

export interface FanoutDocument {
  readonly planned?: Uint8Array | Binary;
  readonly settled: Uint8Array | Binary;
}

const bytesOf = (value: Uint8Array | Binary): Uint8Array => (value instanceof Uint8Array ? value : value.buffer);

export const progressDocument = (progress: Progress): ProgressDocument => ({
  fanouts: mapValues(progress.fanouts, ({ planned, settled }) => ({
    ...(planned ? { planned: planned.encode() } : {}),
    settled: settled.encode(),
  })),
});

export const progressOf = (document: ProgressDocument): Progress => ({
  fanouts: mapValues(document.fanouts, ({ planned, settled }) => ({
    ...(planned ? { planned: Bitmap.decode(bytesOf(planned)) } : {}),
    settled: Bitmap.decode(bytesOf(settled)),
  })),
});

const mapValues = <A, B>(record: Readonly<Record<string, A>>, to: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value)]));
