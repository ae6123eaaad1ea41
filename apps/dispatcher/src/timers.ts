/**
 * The clock of leases and deadlines. It is the system's, even if the test clock is advanced: a lease states that a process is alive, independent of
 * business time.
 */
export interface Timers {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Runs once, later, or soon if the time has passed; the result cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.max(ms, 0));
    return () => clearTimeout(timer);
  },
};
