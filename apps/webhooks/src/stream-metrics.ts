import { counterIn, gaugeIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

/** What becomes of an event that was sent, or could not be. */
export type EventEnd = 'acked' | 'refused' | 'late' | 'broken' | 'given_up' | 'gone';

/** What streams count, all of them together. */
export interface StreamMetrics {
  ended(end: EventEnd, count?: number): void;
  /** A stream begins or ceases to be connected. */
  connected(by: 1 | -1): void;
  /** Unacked events come or go. */
  unacked(by: number): void;
}

export function streamMetrics(registry: Registry): StreamMetrics {
  const events = counterIn(registry, {
    name: 'tidings_webhooks_events_total',
    help: 'Events by what became of sending them: acked; refused, late or broken, which are sent again; given_up after 72 h; gone with their device',
    labels: ['end'],
  });
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
