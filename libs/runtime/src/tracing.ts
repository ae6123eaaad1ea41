import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { TracingConfiguration } from './configuration.ts';
import type { Logger } from './logs.ts';

export interface Tracing {
  /** Sends recorded traces for at most 3 s. */
  close(): Promise<void>;
}

export interface TracingOptions {
  readonly service: string;
  readonly log: Logger;
  readonly exporter?: SpanExporter;
}

/** One at a time per process. */
export async function startTracing(
  configuration: TracingConfiguration | undefined,
  options: TracingOptions,
): Promise<Tracing> {
  if (!configuration) return { close: async () => undefined };
  const { recordTraces } = await import('./tracing-sdk.ts');
  return recordTraces(configuration, options);
}
