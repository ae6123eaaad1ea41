import { counterIn, gaugeIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

const ENDS = ['acked', 'refused', 'late', 'broken', 'given_up', 'gone'] as const;

/** The outcome of an event that was sent, or could not be sent. */
export type EventEnd = (typeof ENDS)[number];

/** Counters over all streams. */
export interface StreamMetrics {
  ended(end: EventEnd, count?: number): void;
  /** Counts a stream that connects or disconnects. */
  connected(by: 1 | -1): void;
  /** Counts unacked events that are added or removed. */
  unacked(by: number): void;
}

export function streamMetrics(registry: Registry): StreamMetrics {
  const events = counterIn(registry, {
    name: 'tidings_webhooks_events_total',
    help: 'Events by what became of sending them: acked; refused, late or broken, which are sent again; given_up after 72 h; gone with their device',
    labels: ['end'],
  });
  // A counter that begins at 1 has no increase that an alert could see.
  for (const end of ENDS) events.inc({ end }, 0);
  const streams = gaugeIn(registry, { name: 'tidings_webhooks_streams', help: 'Streams that are connected' });
  const open = gaugeIn(registry, {
    name: 'tidings_webhooks_unacked_events',
    help: 'Events read and not acknowledged',
  });
  return {
    ended: (end, count = 1) => events.inc({ end }, count),
    connected: (by) => streams.inc(by),
    unacked: (by) => open.inc(by),
  };
}
