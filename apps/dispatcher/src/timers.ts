/** Leases follow the machine's clock, even if the test clock is advanced. */
export interface Timers {
  now(): number;
  wall(): number;
  after(ms: number, run: () => void): () => void;
}

const EARLY_MS = 5;
/** Timers for the same moment end up to 2 ms apart, in several turns. */
export const SAME_TICK_MS = 4;

/** Work of equal periods runs in one turn, which wakes the process once and shares queries. */
export function msToNextMultiple(periodMs: number, { now }: Pick<Timers, 'now'>): number {
  const remainingMs = periodMs - (now() % periodMs);
  // A timer may run early by a millisecond.
  return remainingMs < EARLY_MS ? remainingMs + periodMs : remainingMs;
}

export const systemTimers: Timers = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.max(ms, 0));
    return () => clearTimeout(timer);
  },
};
