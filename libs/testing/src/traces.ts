import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { startTracing, type TracingConfiguration } from '@tidings/runtime';
import { testLog } from './world.ts';

export interface RecordedTraces {
  /** In order of their end. */
  spans(): readonly ReadableSpan[];
  stop(): Promise<void>;
}

/** Only one recording at a time. */
export async function recordTraces({
  sampler = 'parentbased_always_on',
  ratio = 1,
}: Partial<TracingConfiguration> = {}): Promise<RecordedTraces> {
  const exporter = new InMemorySpanExporter();
  const tracing = await startTracing({ sampler, ratio }, { service: 'test', log: testLog(), exporter });
  return { spans: () => exporter.getFinishedSpans(), stop: () => tracing.close() };
}
