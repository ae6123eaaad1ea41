import type { SliceState } from '@tidings/delivery';
import { readIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

export type SliceStateCounts = Record<SliceState['kind'], number>;

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
