import { SLICE_SIZE } from './slices.ts';

/** A crash makes at most these ambiguous (R-LM5). */
export const OPEN_DEVICES = 8 * SLICE_SIZE;

/** A stall of 10 s must not cost the lease, or sends repeat. */
export const WORKER_LEASE_MS = 15_000;
export const WORKER_RENEW_MS = 2_500;
export const WORKER_MARGIN_MS = 1_000;

export const WATCH_GRACE_MS = 6_000;

/** A worker silent for longer is dead, or continues in a new epoch. */
export const SILENCE_MS = WORKER_LEASE_MS + WATCH_GRACE_MS;

/** Nothing is repeated before an answer is this late. */
export const LATE_ANSWER_MS = 30_000;

/** Deadlines of each phase within the 5 s budget of a handler call: credential, slots, pushes, answers. */
export const READY_MS = 1_000;
export const SLOTS_MS = 2_000;
export const CUTOFF_MS = 2_750;
export const DEADLINE_MS = 4_000;
