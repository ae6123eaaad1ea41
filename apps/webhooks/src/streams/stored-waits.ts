import { type Clock, CLOCKS_AGREE_MS, isDue, steadyTime } from '@tidings/kernel';
import type { OpenEvent } from './stream-progress.ts';
import { LONGEST_WAIT_MS, type Unacked } from './unacked.ts';

/** How long a stored wait lasts; 0 = it is over. One that is longer than any was stored before the clock was set back, and is over. */
export function leftMs(clock: Clock, storedAt: number): number {
  const now = clock.now();
  return isDue(storedAt, now, LONGEST_WAIT_MS) ? 0 : storedAt - now;
}

/** Stored waits that end later are over. */
export const latestEnd = (clock: Clock): number => clock.now() + LONGEST_WAIT_MS + CLOCKS_AGREE_MS;

/** The stored form of a time of the steady clock, in milliseconds since 1970; 0 = it has come. */
export function storedEnd(clock: Clock, at: number): number {
  const left = at - steadyTime(clock);
  return left <= 0 ? 0 : Math.ceil(clock.now() + left);
}

/** The stored form of unacked events. Those in flight are due again at once, in case this process ends before their answers. */
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
  open.map((event) => ({ ...event, at: steadyTime(clock) + leftMs(clock, event.at) }));
