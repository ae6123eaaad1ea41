import { counterIn, floodedConnections, gaugeIn, readIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';
import type { DeferredSummary } from './streams/deferred/deferred-store.ts';

const ENDS = ['acked', 'refused', 'late', 'broken', 'unmade', 'deferred', 'given_up', 'dropped', 'gone'] as const;

export type EventEnd = (typeof ENDS)[number];

export interface StreamMetrics {
  ended(end: EventEnd, count?: number): void;
  connected(by: 1 | -1): void;
  unacked(by: number): void;
  flooded(): void;
  deferred(stream: object, summary: DeferredSummary | undefined): void;
}

export function streamMetrics(registry: Registry): StreamMetrics {
  const events = counterIn(registry, {
    name: 'tidings_webhooks_events_total',
    help: 'Events by what became of sending them: acked; refused, late, broken or unmade, which are sent again; deferred, as they fail alone or wait behind such ones; given_up after 72 h; dropped in favour of newer deferred ones; gone with their device',
    labels: ['end'],
  });
  // Alerts need an initial 0.
  for (const end of ENDS) events.inc({ end }, 0);
  const streams = gaugeIn(registry, { name: 'tidings_webhooks_streams', help: 'Streams that are connected' });
  const open = gaugeIn(registry, {
    name: 'tidings_webhooks_unacked_events',
    help: 'Events read and not acknowledged',
  });
  const deferred = new Map<object, DeferredSummary>();
  readIn(
    registry,
    'gauge',
    { name: 'tidings_webhooks_deferred_events', help: 'Deferred events of the streams of this process' },
    () => [{ value: Array.from(deferred.values(), ({ length }) => length).reduce((sum, length) => sum + length, 0) }],
  );
  readIn(
    registry,
    'gauge',
    {
      name: 'tidings_webhooks_oldest_deferred_timestamp_seconds',
      help: 'When the oldest deferred event happened, in seconds since 1970; 0 without one',
    },
    () => {
      const times = [...deferred.values()].flatMap(({ oldest }) => oldest ?? []);
      return times.length === 0 ? [] : [{ value: Math.min(...times) / 1000 }];
    },
  );
  return {
    ended: (end, count = 1) => events.inc({ end }, count),
    connected: (by) => streams.inc(by),
    unacked: (by) => open.inc(by),
    flooded: floodedConnections(registry, 'grpc'),
    deferred(stream, summary) {
      if (!summary || summary.length === 0) deferred.delete(stream);
      else deferred.set(stream, summary);
    },
  };
}
