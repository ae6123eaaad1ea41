/**
 * The clock of leases and deadlines. It is the machine's, even if the test clock is advanced: a lease states that a process is alive, independent of
 * business time.
 */
export interface Timers {
  /** Milliseconds that pass evenly, whatever the system's clock is set to. */
  now(): number;
  /** Milliseconds since 1970 UTC, for what other processes read. */
  wall(): number;
  /** Runs once, later, or soon if the time has passed; the result cancels it. */
  after(ms: number, run: () => void): () => void;
}

const EARLY_MS = 5;

/**
 * Milliseconds until the clock shows the next multiple of a period, at most 5 ms more than the period. Periodic work with the same period runs in the
 * same turn of the event loop, so that it wakes the process once and shares queries.
 */
export function untilNext(periodMs: number, { now }: Pick<Timers, 'now'>): number {
  const left = periodMs - (now() % periodMs);
  // A timer may run early by a millisecond: the work of this period has just been done.
  return left < EARLY_MS ? left + periodMs : left;
}

export const systemTimers: Timers = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.max(ms, 0));
    return () => clearTimeout(timer);
  },
};
