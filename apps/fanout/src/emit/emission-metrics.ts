import { counterIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

export interface EmissionMetrics {
  emitted(channel: string, again: boolean): void;
}

export function emissionMetrics(registry: Registry): EmissionMetrics {
  const slices = counterIn(registry, {
    name: 'tidings_fanout_slices_total',
    help: 'Slices that were emitted, for the first time or again: what was lost on the way, or never answered',
    labels: ['channel', 'emission'],
  });
  return { emitted: (channel, again) => slices.inc({ channel, emission: again ? 'again' : 'first' }) };
}
