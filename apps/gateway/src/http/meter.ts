import type { FaultKind } from '@tidings/kernel';
import { histogramIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

/** The result of a request: `ok` includes redirections, `slow` means a body that did not arrive in time. */
export type RequestResult = 'ok' | 'wrongVerb' | 'slow' | FaultKind;

/**
 * Called for each answered request.
 * @param method the name of an API method, or the pattern of another path; `none` for an unserved path
 * @param startedAt the start by `performance.now()`
 */
export type RequestMeter = (method: string, result: RequestResult, startedAt: number) => void;

export function requestMeter(metrics: Registry): RequestMeter {
  const seconds = histogramIn(metrics, {
    name: 'tidings_http_request_seconds',
    help: 'How long requests took, by method of the API and what became of them: ok, wrongVerb, slow, or the kind of fault',
    labels: ['method', 'result'],
  });
  return (method, result, startedAt) => seconds.observe({ method, result }, (performance.now() - startedAt) / 1000);
}
