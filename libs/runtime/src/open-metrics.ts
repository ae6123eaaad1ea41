import { collectDefaultMetrics, Registry } from 'prom-client';

/** Period of the timer that measures the delay of the event loop. At 10 ms, the default, it is a good part of what an idle process costs. */
const LOOP_TIMER_MS = 100;

/** Metrics of this process: Node's own (heap, collections, event-loop delay and its percentiles) and those of services. */
export function openMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: LOOP_TIMER_MS });
  return metrics;
}
