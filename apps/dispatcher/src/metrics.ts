import type { Results } from '@tidings/delivery';
import { ChunkSet } from '@tidings/kernel';
import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client';
import type { Lane } from './channels/port.ts';

/** What a lane counts. Labels are bounded: channels, lanes and error categories. */
export interface LaneMetrics {
  /** Devices by what became of them. */
  settled(results: Results): void;
  /** A batch arrived with so many devices. */
  batch(devices: number): void;
  /** A window went to rest, was taken over from a dead worker, or was lost with the lease. */
  window(event: 'deferred' | 'taken_over' | 'lost'): void;
  open(windows: number): void;
}

/** Dispatchers of several channels may share a process, and so a registry. */
function once<M extends Metric>(registry: Registry, name: string, make: () => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? make();
}

const sizeOf = (set: Uint8Array): number => ChunkSet.decode(set).size;

export function laneMetrics(registry: Registry, channel: string, lane: Lane): LaneMetrics {
  const registers = [registry];
  const outcomes = once(
    registry,
    'tidings_dispatch_outcomes_total',
    () =>
      new Counter({
        name: 'tidings_dispatch_outcomes_total',
        help: 'Devices that were sent to or failed, by category',
        labelNames: ['channel', 'category'],
        registers,
      }),
  );
  const devices = once(
    registry,
    'tidings_dispatch_batch_devices',
    () =>
      new Histogram({
        name: 'tidings_dispatch_batch_devices',
        help: 'Devices in a batch',
        labelNames: ['channel', 'lane'],
        buckets: [1, 10, 100, 500, 1000, 2000],
        registers,
      }),
  );
  const windows = once(
    registry,
    'tidings_dispatch_windows_total',
    () =>
      new Counter({
        name: 'tidings_dispatch_windows_total',
        help: 'Windows that were deferred, taken over from a dead worker, or lost with the lease',
        labelNames: ['channel', 'lane', 'event'],
        registers,
      }),
  );
  const open = once(
    registry,
    'tidings_dispatch_open_windows',
    () =>
      new Gauge({
        name: 'tidings_dispatch_open_windows',
        help: 'Windows that are being sent',
        labelNames: ['channel', 'lane'],
        registers,
      }),
  );
  return {
    settled({ sent, failed }) {
      for (const { set } of sent) outcomes.inc({ channel, category: 'SENT' }, sizeOf(set));
      for (const { category, set } of failed) outcomes.inc({ channel, category }, sizeOf(set));
    },
    batch: (count) => devices.observe({ channel, lane }, count),
    window: (event) => windows.inc({ channel, lane, event }),
    open: (count) => open.set({ channel, lane }, count),
  };
}
