import { type Clock, steadyTime } from './clock.ts';

/** Clocks of hosts agree to within a second: a stored time that lies further ahead of all writers was written before the clock was set back. */
export const CLOCKS_AGREE_MS = 2_000;

/**
 * Whether a stored time has come. One that lies further ahead than its longest wait was written before the clock was set back, and has come too.
 * @param longestMs the longest time between its writing and itself
 */
export const isDue = (storedAt: number, now: number, longestMs: number): boolean =>
  storedAt <= now || storedAt > now + longestMs + CLOCKS_AGREE_MS;

/**
 * Tells by how many milliseconds the clock has been set since the last call: forward, or back if negative; 0 = it was not.
 * @param clock whose `now` is compared with its steady time
 */
export function clockSteps(clock: Clock): () => number {
  let last = clock.now() - steadyTime(clock);
  return () => {
    const difference = clock.now() - steadyTime(clock);
    const step = difference - last;
    last = difference;
    return Math.abs(step) > CLOCKS_AGREE_MS ? step : 0;
  };
}
