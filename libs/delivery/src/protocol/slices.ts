import type { ChunkPlanned } from '@tidings/events';
import { type ChunkKey, planId } from './record-keys.ts';

/** Slice n of size s holds ranks sn to sn+s-1 of its set. */
export const SLICE_SIZE = 500;

export const RATED_SLICE_SIZE = 50;

export const SLICES_PER_BATCH = 4;

export interface RecipientSetKey extends ChunkKey {
  readonly platform: number;
  readonly variant: string;
}

export interface SliceIdentity extends RecipientSetKey {
  readonly number: number;
}

export const recipientSetId = (key: RecipientSetKey): string => `${planId(key)}/${key.platform}/${key.variant}`;

export const sliceId = (slice: SliceIdentity): string => `${recipientSetId(slice)}/${slice.number}`;

export const messageIn = (sliceId: string): string => sliceId.slice(0, sliceId.indexOf('/'));

export const sliceSizeOf = ({ sliceSize }: Pick<ChunkPlanned, 'sliceSize'>): number => sliceSize || SLICE_SIZE;

export const sliceCount = (devices: number, sliceSize = SLICE_SIZE): number => Math.ceil(devices / sliceSize);

export const positionsOfSlice = (positions: Uint16Array, number: number, sliceSize = SLICE_SIZE): Uint16Array =>
  positions.subarray(number * sliceSize, (number + 1) * sliceSize);
