import { type Clock, steadyTime } from './clock.ts';

/** A stored time further ahead of all writers was written before the clock was set back. */
export const CLOCKS_AGREE_MS = 2_000;

/** Also true further ahead than `longestMs`: the clock was set back. */
export const isDue = (storedAt: number, now: number, longestMs: number): boolean =>
  storedAt <= now || storedAt > now + longestMs + CLOCKS_AGREE_MS;

/** Milliseconds by which the clock was set since the last call, negative for back. */
export function clockSteps(clock: Clock): () => number {
  let last = clock.now() - steadyTime(clock);
  return () => {
    const difference = clock.now() - steadyTime(clock);
    const step = difference - last;
    last = difference;
    return Math.abs(step) > CLOCKS_AGREE_MS ? step : 0;
  };
}
