import type { SliceState } from '@tidings/delivery';
import { counterIn, readIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

/** How many slices are open: to be emitted, under way, or deferred to a later time. */
export type SliceStateCounts = Record<SliceState['kind'], number>;

/** The counters of the fan-out. */
export interface FanoutMetrics {
  /** A slice was emitted, for the first time or again. */
  emitted(channel: string, again: boolean): void;
}

export function fanoutMetrics(registry: Registry): FanoutMetrics {
  const slices = counterIn(registry, {
    name: 'tidings_fanout_slices_total',
    help: 'Slices that were emitted, for the first time or again: what was lost on the way, or never answered',
    labels: ['channel', 'emission'],
  });
  return { emitted: (channel, again) => slices.inc({ channel, emission: again ? 'again' : 'first' }) };
}

/** Exports the open slices that the watchdog found. */
export function watchMetrics(registry: Registry, open: () => SliceStateCounts): void {
  readIn(
    registry,
    'gauge',
    {
      name: 'tidings_fanout_open_slices',
      help: 'Slices of messages released 5 s ago or more that are not settled, as the watchdog last saw them',
      labels: ['state'],
    },
    () => Object.entries(open()).map(([state, value]) => ({ labels: { state }, value })),
  );
}
