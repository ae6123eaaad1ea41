import { setTimeout as delay } from 'node:timers/promises';
import { context, diag, type DiagLogFunction, DiagLogLevel, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseKeyPairsIntoRecord, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SimpleSpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { recordWith } from '@tidings/telemetry';
import type { TracingConfiguration } from './configuration.ts';
import type { Logger } from './logs.ts';
import type { Tracing, TracingOptions } from './tracing.ts';
import { productVersion } from './version.ts';

const FLUSH_MS = 3_000;
const COMPLAIN_EVERY_MS = 60_000;

export function recordTraces(configuration: TracingConfiguration, options: TracingOptions): Tracing {
  const { service, log, exporter } = options;
  diag.setLogger(complaints(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const headers = parseKeyPairsIntoRecord(configuration.headers);
  const processor = exporter
    ? new SimpleSpanProcessor({ exporter })
    : new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ headers }) });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service, 'service.version': productVersion }))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    sampler: samplerOf(configuration),
    spanProcessors: [processor],
  });
  recordWith(provider.getTracer('tidings'));
  return {
    async close() {
      recordWith(undefined);
      await Promise.race([provider.shutdown(), delay(FLUSH_MS, undefined, { ref: false })]).catch((error: unknown) =>
        log.warn({ err: error }, 'the last traces were not sent'),
      );
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}

function samplerOf({ sampler, ratio }: TracingConfiguration): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}

function complaints(log: Logger): Record<'error' | 'warn' | 'info' | 'debug' | 'verbose', DiagLogFunction> {
  let quietUntil = -Infinity;
  const complain: DiagLogFunction = (text) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + COMPLAIN_EVERY_MS;
    log.warn({ reason: text }, 'traces are lost');
  };
  const silent: DiagLogFunction = () => undefined;
  return { error: complain, warn: complain, info: silent, debug: silent, verbose: silent };
}
