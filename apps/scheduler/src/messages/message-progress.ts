import type { PlanEvent } from '@tidings/events';
import { chunkOf, Bitmap, positionOf } from '@tidings/kernel';
import type { Binary } from 'mongodb';

export interface Progress {
  readonly fanouts: Readonly<Record<string, Fanout>>;
}

interface Fanout {
  /** FanoutPlanned may arrive after other facts. */
  readonly planned?: Bitmap;
  readonly settled: Bitmap;
}

export const noProgress: Progress = { fanouts: {} };

/** Commutative and idempotent. */
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

export const bucketsOf = (steps: { readonly count: number } | undefined): readonly number[] =>
  steps ? Array.from({ length: steps.count }, (_, i) => i + 1) : [0];

export const isComplete = (
  progress: Progress,
  applications: readonly string[],
  buckets: readonly number[] = [0],
  named?: Bitmap,
): boolean =>
  applications.every((application) =>
    buckets.every((bucket) => {
      const { planned = named, settled = Bitmap.empty } = progress.fanouts[`${application}/${bucket}`] ?? {};
      return planned !== undefined && planned.minus(settled).size === 0;
    }),
  );

/** Joins of 65,536 buckets share a set, like the devices of a chunk. */
const joinsOf = (bucket: number): string => `joins/${chunkOf(bucket)}`;

export function advanceJoins(progress: Progress, { bucket, event }: PlanEvent): Progress {
  if (event?.$case !== 'settled') return progress;
  const key = joinsOf(bucket);
  const settled = (progress.fanouts[key]?.settled ?? Bitmap.empty).union(Bitmap.of([positionOf(bucket)]));
  return { fanouts: { ...progress.fanouts, [key]: { settled } } };
}

export const areJoinsSettled = (progress: Progress, joined: number): boolean =>
  Object.values(progress.fanouts).reduce((sum, { settled }) => sum + settled.size, 0) >= joined;

export interface ProgressDocument {
  readonly fanouts: Readonly<Record<string, FanoutDocument>>;
}

export interface FanoutDocument {
  readonly planned?: Uint8Array | Binary;
  readonly settled: Uint8Array | Binary;
}

export const bytesOf = (value: Uint8Array | Binary): Uint8Array => (value instanceof Uint8Array ? value : value.buffer);

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
