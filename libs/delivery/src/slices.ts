/** Devices in a slice: ranks 500w to 500w+499 of the plan's sendable set of one channel (sending 2). */
export const SLICE_SIZE = 500;

/** Slices that a batch holds at most. */
export const SLICES_PER_BATCH = 4;

/** Devices that a worker has open at a time at most: what a crash can leave in doubt (R-LM5). */
export const OPEN_DEVICES = 8 * SLICE_SIZE;

/**
 * How long a dispatcher's worker counts as alive after it last said so. A stall of 10 s, of its process or of the store, must not cost it
 * the lease, or it would repeat what it has sent: it says so every 2 s and stops a second early, which leaves 2 s for the writes.
 */
export const WORKER_LEASE_MS = 15_000;

/** What a slice is called for ever, whatever becomes of its devices. */
export interface SliceIdentity {
  readonly message: string;
  readonly bucket: number;
  readonly application: string;
  readonly chunk: number;
  readonly channel: string;
  readonly w: number;
}

/** The identity as one text: the `_id` of its attempt. */
export const sliceId = ({ message, bucket, application, chunk, channel, w }: SliceIdentity): string =>
  `${message}/${bucket}/${application}/${chunk}/${channel}/${w}`;

/** How many slices a sendable set of this size has. */
export const sliceCount = (devices: number): number => Math.ceil(devices / SLICE_SIZE);

/** The ranks of slice `w` in a sendable set of `devices`: from (inclusive) to (exclusive). */
export const ranksOf = (w: number, devices: number): { readonly from: number; readonly to: number } => ({
  from: Math.min(w * SLICE_SIZE, devices),
  to: Math.min((w + 1) * SLICE_SIZE, devices),
});

/** Key of the records on `tidings.plans`, `tidings.outcomes` and `tidings.reports`. */
export const chunkKey = (message: string, application: string, chunk: number): string =>
  `${message}/${application}/${chunk}`;
