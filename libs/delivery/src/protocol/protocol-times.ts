import { SLICE_SIZE } from './slices.ts';

/** Maximum number of open devices of a worker: those that a crash can make ambiguous (R-LM5). */
export const OPEN_DEVICES = 8 * SLICE_SIZE;

/**
 * Validity of a worker's lease after its last renewal. A stall of 10 s, of the process or of the store, must not cost the lease, or the worker would
 * repeat its sends: it renews every {@link WORKER_RENEW_MS} and stops {@link WORKER_MARGIN_MS} early, which leaves 2 s for the writes.
 */
export const WORKER_LEASE_MS = 15_000;
export const WORKER_RENEW_MS = 2_000;
/** A worker stops this long before its lease ends: clocks differ, and a write takes time. */
export const WORKER_MARGIN_MS = 1_000;

/** Additional wait of the watchdog after a lease (`docs/sending.md`). */
export const WATCH_GRACE_MS = 6_000;

/** Longer than a lease: a worker that published nothing for this time is dead, or continues in a new epoch. */
export const SILENCE_MS = WORKER_LEASE_MS + WATCH_GRACE_MS;

/** Time for which an answer is awaited after the end of a run: until then nothing is repeated. */
export const LATE_ANSWER_MS = 30_000;

/**
 * Deadlines of each phase within the 5 s budget of a handler call, from its begin: a credential is waited for until READY_MS, slots until
 * SLOTS_MS, pushes are written until CUTOFF_MS, answers awaited until DEADLINE_MS.
 */
export const READY_MS = 1_000;
export const SLOTS_MS = 2_000;
export const CUTOFF_MS = 2_750;
export const DEADLINE_MS = 4_000;
