import { collectDefaultMetrics, Registry } from 'prom-client';

/** Metrics of this process: Node's own (heap, collections, event-loop delay and its percentiles) and those of services. */
export function openMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return metrics;
}
