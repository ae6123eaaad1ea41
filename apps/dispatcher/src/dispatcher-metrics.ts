import type { Results, Lane } from '@tidings/delivery';
import { Bitmap } from '@tidings/kernel';
import { counterIn, gaugeIn, histogramIn, cached, readIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

export interface Outcome {
  readonly category: string;
  /** The code is "0" for local causes, "" for sent. */
  readonly code: string;
  readonly devices: number;
}

/** Labels are bounded: channels, lanes, error categories and provider codes. */
export interface LaneMetrics {
  ended(outcomes: readonly Outcome[]): void;
  batch(devices: number): void;
  slice(event: 'deferred' | 'taken_over' | 'lost'): void;
  open(slices: number, devices: number): void;
  answered(ms: number): void;
}

const sizeOf = (set: Uint8Array): number => Bitmap.decode(set).size;

const outcomesOf = ({ sent, failed }: Results): Outcome[] => [
  ...sent.map(({ set }) => ({ category: 'SENT', code: '', devices: sizeOf(set) })),
  ...failed.map(({ category, code, set }) => ({ category, code, devices: sizeOf(set) })),
];

export function outcomesSince(before: Results, now: Results): Outcome[] {
  const counts = new Map<string, Outcome>();
  const add = ({ category, code, devices }: Outcome, sign: 1 | -1): void => {
    const key = `${category} ${code}`;
    counts.set(key, { category, code, devices: (counts.get(key)?.devices ?? 0) + sign * devices });
  };
  for (const outcome of outcomesOf(now)) add(outcome, 1);
  for (const outcome of outcomesOf(before)) add(outcome, -1);
  return [...counts.values()].filter(({ devices }) => devices > 0);
}

export function laneMetrics(registry: Registry, channel: string, lane: Lane): LaneMetrics {
  const outcomes = counterIn(registry, {
    name: 'tidings_dispatch_outcomes_total',
    help: 'Devices that were sent to or failed, by category and by the code of the provider, 0 for local causes',
    labels: ['channel', 'category', 'code'],
  });
  const devices = histogramIn(
    registry,
    { name: 'tidings_dispatch_batch_devices', help: 'Devices in a batch', labels: ['channel', 'lane'] },
    [1, 10, 100, 500, 1000, 2000],
  );
  const slices = counterIn(registry, {
    name: 'tidings_dispatch_slices_total',
    help: 'Slices that were deferred, taken over from a dead worker, or lost with the lease',
    labels: ['channel', 'lane', 'event'],
  });
  const open = gaugeIn(registry, {
    name: 'tidings_dispatch_open_slices',
    help: 'Slices that are being sent',
    labels: ['channel', 'lane'],
  });
  const openDevices = gaugeIn(registry, {
    name: 'tidings_dispatch_open_devices',
    help: 'Devices that slots are taken for: being sent, or sent and not answered yet',
    labels: ['channel', 'lane'],
  });
  const seconds = histogramIn(registry, {
    name: 'tidings_dispatch_provider_seconds',
    help: 'How long the provider took to answer the first push of each slice',
    labels: ['channel', 'lane'],
  });
  return {
    ended(counts) {
      for (const { category, code, devices: count } of counts) outcomes.inc({ channel, category, code }, count);
    },
    batch: (count) => devices.observe({ channel, lane }, count),
    slice: (event) => slices.inc({ channel, lane, event }),
    open(sliceCount, deviceCount) {
      open.set({ channel, lane }, sliceCount);
      openDevices.set({ channel, lane }, deviceCount);
    },
    answered: (ms) => seconds.observe({ channel, lane }, ms / 1000),
  };
}

export interface ChannelState {
  readonly deferred: () => Promise<number>;
  readonly throttled: () => number;
  readonly throttledServices: () => number;
}

const COUNT_KEPT_MS = 15_000;

export function channelMetrics(registry: Registry, channel: string, state: ChannelState): void {
  const { deferred, throttled, throttledServices } = state;
  const labels = { channel };
  readIn(
    registry,
    'gauge',
    {
      name: 'tidings_dispatch_deferred_slices',
      help: 'Slices that wait for a later time',
      labels: ['channel'],
    },
    cached(COUNT_KEPT_MS, async () => [{ labels, value: await deferred() }]),
  );
  readIn(
    registry,
    'gauge',
    {
      name: 'tidings_dispatch_throttled_credentials',
      help: 'Credentials whose provider told to wait',
      labels: ['channel'],
    },
    () => [{ labels, value: throttled() }],
  );
  readIn(
    registry,
    'gauge',
    {
      name: 'tidings_dispatch_throttled_services',
      help: 'Push services of browsers that told a credential to wait',
      labels: ['channel'],
    },
    () => [{ labels, value: throttledServices() }],
  );
}
