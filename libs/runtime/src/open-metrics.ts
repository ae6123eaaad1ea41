import { collectDefaultMetrics, Registry } from 'prom-client';

/** Metrics of this process: Node's own (heap, collections, event-loop delay and its percentiles) and what services add. */
export function openMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return metrics;
}
