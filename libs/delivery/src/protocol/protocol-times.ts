import { SLICE_SIZE } from './slices.ts';

/** Devices that a worker has open at a time at most: what a crash can leave in doubt (R-LM5). */
export const OPEN_DEVICES = 8 * SLICE_SIZE;

/**
 * How long a dispatcher's worker counts as alive after it last renewed its lease. A stall of 10 s, of its process or of the store, must not
 * cost it the lease, or it would repeat what it has sent: it renews every {@link WORKER_RENEW_MS} and stops {@link WORKER_MARGIN_MS} early, which
 * leaves 2 s for the writes.
 */
export const WORKER_LEASE_MS = 15_000;
export const WORKER_RENEW_MS = 2_000;
/** A worker stops this long before its lease ends: clocks differ, and a write takes its time. */
export const WORKER_MARGIN_MS = 1_000;

/** How much longer than a lease the watchdog waits (`docs/sending.md`). */
export const WATCH_GRACE_MS = 6_000;

/** Longer than a lease: a worker that published nothing for so long is dead, or goes on in a new epoch. */
export const SILENCE_MS = WORKER_LEASE_MS + WATCH_GRACE_MS;

/** How long an answer is waited for once a run has ended: until then nothing is repeated. */
export const LATE_ANSWER_MS = 30_000;

/**
 * Deadlines of each phase within the 5 s budget of a handler call, from its begin: a credential is waited for until READY_MS, slots until
 * SLOTS_MS, pushes are written until CUTOFF_MS, answers awaited until DEADLINE_MS.
 */
export const READY_MS = 1_000;
export const SLOTS_MS = 2_000;
export const CUTOFF_MS = 2_750;
export const DEADLINE_MS = 4_000;
