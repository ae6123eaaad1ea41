import { type ChunkKey, planId } from './record-keys.ts';

/** Devices in a slice: slice n holds the ranks 500n to 500n+499 of a sendable set (sending 2). */
export const SLICE_SIZE = 500;

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

/** Number of slices of a sendable set of this size. */
export const sliceCount = (devices: number): number => Math.ceil(devices / SLICE_SIZE);

/** The ascending positions of a sendable set that slice `number` contains. */
export const positionsOfSlice = (positions: Uint16Array, number: number): Uint16Array =>
  positions.subarray(number * SLICE_SIZE, (number + 1) * SLICE_SIZE);
