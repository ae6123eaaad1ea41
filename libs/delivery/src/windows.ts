/** Devices in a window: ranks 500w to 500w+499 of the plan's sendable set of one channel (sending 2). */
export const WINDOW_SIZE = 500;

/** Windows that a batch holds at most. */
export const WINDOWS_PER_BATCH = 4;

/** Devices that a worker has open at a time at most: what a crash can leave in doubt (R-LM5). */
export const OPEN_DEVICES = 8 * WINDOW_SIZE;

/**
 * How long a dispatcher's worker counts as alive after it last said so. A stall of 10 s, of its process or of the store, must not cost it
 * the lease, or it would repeat what it has sent: it says so every 2 s and stops a second early, which leaves 2 s for the writes.
 */
export const WORKER_LEASE_MS = 15_000;

/** What a window is called for ever, whatever becomes of its devices. */
export interface WindowIdentity {
  readonly message: string;
  readonly bucket: number;
  readonly application: string;
  readonly chunk: number;
  readonly channel: string;
  readonly w: number;
}

/** The identity as one text: the `_id` of its attempt. */
export const windowId = ({ message, bucket, application, chunk, channel, w }: WindowIdentity): string =>
  `${message}/${bucket}/${application}/${chunk}/${channel}/${w}`;

/** How many windows a sendable set of this size has. */
export const windowCount = (devices: number): number => Math.ceil(devices / WINDOW_SIZE);

/** The ranks of window `w` in a sendable set of `devices`: from (inclusive) to (exclusive). */
export const ranksOf = (w: number, devices: number): { readonly from: number; readonly to: number } => ({
  from: Math.min(w * WINDOW_SIZE, devices),
  to: Math.min((w + 1) * WINDOW_SIZE, devices),
});

/** Key of the records on `tidings.plans`, `tidings.outcomes` and `tidings.reports`. */
export const chunkKey = (message: string, application: string, chunk: number): string =>
  `${message}/${application}/${chunk}`;
