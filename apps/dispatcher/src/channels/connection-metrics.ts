import type { ConnectionFailure } from '@tidings/http2';
import { counterIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

/** Counts connections to providers that failed to open. Labels are bounded: channels and the causes of R-P1. */
export function connectionMetrics(registry: Registry, channel: string): { failed(cause: ConnectionFailure): void } {
  const failures = counterIn(registry, {
    name: 'tidings_dispatch_connection_failures_total',
    help: 'Connections to the provider that did not open, or closed before it served a request, by cause',
    labels: ['channel', 'cause'],
  });
  return { failed: (cause) => failures.inc({ channel, cause }) };
}
