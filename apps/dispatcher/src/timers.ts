/**
 * The time that leases and deadlines run on. It is the system's, also where the test clock is set forward: a lease says that a process
 * lives, not that an hour of business has passed.
 */
export interface Timers {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Runs once, later, and soon where the time is over; the result prevents it. */
  after(ms: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.max(ms, 0));
    return () => clearTimeout(timer);
  },
};
