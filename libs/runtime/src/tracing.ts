import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { TracingConfiguration } from './configuration.ts';
import type { Logger } from './logs.ts';

/** Traces that are recorded. */
export interface Tracing {
  /** Stops recording, and sends the recorded traces, for at most 3 s. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** The service's name in traces, unless `OTEL_SERVICE_NAME` is set. */
  readonly service: string;
  readonly log: Logger;
  /** Receives each span as it ends, instead of the collector: for tests. */
  readonly exporter?: SpanExporter;
}

/**
 * Starts recording traces if the environment configures an endpoint, and propagates them through asynchronous code. Without a configuration nothing
 * is loaded or recorded. One at a time per process.
 */
export async function startTracing(
  configuration: TracingConfiguration | undefined,
  options: TracingOptions,
): Promise<Tracing> {
  if (!configuration) return { close: async () => undefined };
  const { recordTraces } = await import('./tracing-sdk.ts');
  return recordTraces(configuration, options);
}
