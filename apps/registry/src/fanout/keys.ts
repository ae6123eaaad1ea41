import type { SliceOutcome } from '@tidings/events';
import { type Channel, CHUNK_SIZE } from '@tidings/kernel';

/** How many ranks of a plan's sendable set a slice holds (sending 2). */
export const SLICE_SIZE = 500;

/** One chunk's share of a message. Bucket 0 until messages go out by time zone. */
export interface ChunkKey {
  readonly message: string;
  readonly bucket: number;
  readonly application: string;
  readonly chunk: number;
}

/** `_id` of the fan-out of a message in an application; what belongs to a message begins with its code and "/". */
export const fanoutId = (key: Omit<ChunkKey, 'chunk'>): string => `${key.message}/${key.bucket}/${key.application}`;

/** `_id` of a plan. */
export const planId = (key: ChunkKey): string => `${fanoutId(key)}/${key.chunk}`;

/** `_id` of the marks of a plan's slices in one channel. */
export const marksId = (key: ChunkKey, channel: string): string => `${planId(key)}/${channel}`;

export const chunkKeyOfOutcome = ({ message, bucket, application, chunk }: SliceOutcome): ChunkKey => ({
  message,
  bucket,
  application,
  chunk,
});

/** All ids of {@link fanoutId}, {@link planId} or {@link marksId} of one message. */
export const idsOfMessage = (message: string): { readonly $gt: string; readonly $lt: string } => ({
  $gt: `${message}/`,
  $lt: `${message}0`,
});

export const slicesOf = (sendable: number): number => Math.ceil(sendable / SLICE_SIZE);

/** Key of records that concern one message in a chunk, and of those that concern a chunk alone. */
export const messageKey = (key: ChunkKey): string => `${key.message}/${key.application}/${key.chunk}`;
export const chunkRecordKey = (key: Pick<ChunkKey, 'application' | 'chunk'>): string =>
  `${key.application}/${key.chunk}`;

/** Named recipients travel in a lane of their own, so that a receipt never waits behind a broadcast. */
export const lanes = ['broadcast', 'direct'] as const;
export type Lane = (typeof lanes)[number];

/** Consumer groups of the fan-out. */
export const groups = {
  messages: 'fanout.messages',
  tasks: 'fanout.tasks',
  direct: 'fanout.direct',
  outcomes: 'fanout.outcomes',
} as const;

/** The consumer group of a lane of a channel's dispatchers. */
export const dispatcherGroup = (channel: Channel, lane: Lane): string =>
  lane === 'direct' ? `dispatcher.${channel}.direct` : `dispatcher.${channel}`;

/** The sequence numbers of a chunk, both ends included. */
export const seqRangeOf = (chunk: number): readonly [from: number, to: number] => [
  chunk * CHUNK_SIZE,
  chunk * CHUNK_SIZE + CHUNK_SIZE - 1,
];
