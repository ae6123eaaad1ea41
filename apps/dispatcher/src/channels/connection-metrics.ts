import type { ConnectionFailure } from '@tidings/http2';
import { counterIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

export function connectionMetrics(registry: Registry, channel: string): { failed(cause: ConnectionFailure): void } {
  const failures = counterIn(registry, {
    name: 'tidings_dispatch_connection_failures_total',
    help: 'Connections to the provider that did not open, or closed before it served a request, by cause',
    labels: ['channel', 'cause'],
  });
  return { failed: (cause) => failures.inc({ channel, cause }) };
}
