import { type Clock, CLOCKS_AGREE_MS, isDue, steadyTime } from '@tidings/kernel';
import type { OpenEvent } from './stream-progress.ts';
import { LONGEST_WAIT_MS, type Unacked } from './unacked.ts';

/** A wait longer than any began before the clock was set back. */
export function remainingMs(clock: Clock, storedAt: number): number {
  const now = clock.now();
  return isDue(storedAt, now, LONGEST_WAIT_MS) ? 0 : storedAt - now;
}

export const latestEnd = (clock: Clock): number => clock.now() + LONGEST_WAIT_MS + CLOCKS_AGREE_MS;

export function storedEnd(clock: Clock, at: number): number {
  const remaining = at - steadyTime(clock);
  return remaining <= 0 ? 0 : Math.ceil(clock.now() + remaining);
}

/** Events in flight are due at once, in case this process ends. */
export const storedEvents = (clock: Clock, events: Iterable<Unacked>): OpenEvent[] =>
  Array.from(events, ({ n, e, d, failures, strikes, phase, at }) => ({
    n,
    e,
    d,
    failures,
    strikes,
    at: phase === 'sent' ? 0 : storedEnd(clock, at),
  }));

export const restoredEvents = (clock: Clock, open: readonly OpenEvent[]): OpenEvent[] =>
  open.map((event) => ({ ...event, at: steadyTime(clock) + remainingMs(clock, event.at) }));
