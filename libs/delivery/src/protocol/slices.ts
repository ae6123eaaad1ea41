import type { ChunkPlanned } from '@tidings/events';
import { type ChunkKey, planId } from './record-keys.ts';

/** Maximum number of devices in a slice: slice n of size s holds the ranks sn to sn+s-1 of a sendable set (sending 2). */
export const SLICE_SIZE = 500;

/** Devices in a slice of a message with a send rate: at the lowest rate half a second. */
export const RATED_SLICE_SIZE = 50;

/** Maximum number of slices in a batch. */
export const SLICES_PER_BATCH = 4;

/** The sendable set of a plan for one platform and variant. */
export interface SendableKey extends ChunkKey {
  readonly platform: number;
  readonly variant: string;
}

/** The immutable identity of a slice, whatever happens to its devices. */
export interface SliceIdentity extends SendableKey {
  /** Counts the slices of its sendable set, from 0. */
  readonly number: number;
}

/** `_id` of the statuses of the slices of a sendable set. */
export const sendableId = (key: SendableKey): string => `${planId(key)}/${key.platform}/${key.variant}`;

/** The identity as text: the `_id` of its attempt. */
export const sliceId = (slice: SliceIdentity): string => `${sendableId(slice)}/${slice.number}`;

/** The size of a plan's slices. It is fixed with the plan, as their members are. */
export const sliceSizeOf = ({ sliceSize }: Pick<ChunkPlanned, 'sliceSize'>): number => sliceSize || SLICE_SIZE;

/** Number of slices of a sendable set of this size. */
export const sliceCount = (devices: number, sliceSize = SLICE_SIZE): number => Math.ceil(devices / sliceSize);

/** The ascending positions of a sendable set that slice `number` contains. */
export const positionsOfSlice = (positions: Uint16Array, number: number, sliceSize = SLICE_SIZE): Uint16Array =>
  positions.subarray(number * sliceSize, (number + 1) * sliceSize);
