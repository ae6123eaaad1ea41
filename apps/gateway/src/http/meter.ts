import type { FaultKind } from '@tidings/kernel';
import { histogramIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

export type RequestResult = 'ok' | 'wrongVerb' | 'slow' | FaultKind;

export type RequestMeter = (method: string, result: RequestResult, startedAt: number) => void;

export function requestMeter(metrics: Registry): RequestMeter {
  const seconds = histogramIn(metrics, {
    name: 'tidings_http_request_seconds',
    help: 'How long requests took, by method of the API and what became of them: ok, wrongVerb, slow, or the kind of fault',
    labels: ['method', 'result'],
  });
  return (method, result, startedAt) => seconds.observe({ method, result }, (performance.now() - startedAt) / 1000);
}
