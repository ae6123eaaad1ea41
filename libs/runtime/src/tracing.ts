import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { TracingConfiguration } from './configuration.ts';
import type { Logger } from './logs.ts';

/** Traces that are recorded. */
export interface Tracing {
  /** Records nothing more, and sends what was recorded, for 3 s at most. */
  close(): Promise<void>;
}

export interface TracingOptions {
  /** The service's name in traces, unless `OTEL_SERVICE_NAME` says another. */
  readonly service: string;
  readonly log: Logger;
  /** Takes each span as it ends, in place of the collector: for tests. */
  readonly exporter?: SpanExporter;
}

/**
 * Begins to record traces where the environment says where they go, and to follow them through asynchronous code. Without a configuration
 * nothing is loaded and nothing recorded. One at a time in a process.
 */
export async function startTracing(
  configuration: TracingConfiguration | undefined,
  options: TracingOptions,
): Promise<Tracing> {
  if (!configuration) return { close: async () => undefined };
  const { recordTraces } = await import('./tracing-sdk.ts');
  return recordTraces(configuration, options);
}
