import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { productVersion } from './version.ts';

/**
 * Period of the timer that measures the delay of the event loop. Each value of `nodejs_eventloop_lag_*` but the first contains it. At 10 ms, the
 * default, the timer is a good part of what an idle process costs.
 */
export const LOOP_TIMER_MS = 100;

/** Metrics of this process: Node's own (heap, collections, event-loop delay and its percentiles) and those of services. */
export function openMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: LOOP_TIMER_MS });
  const help = 'Always 1; the label is the version of the process';
  const info = new Gauge({ name: 'tidings_build_info', help, labelNames: ['version'], registers: [metrics] });
  info.set({ version: productVersion }, 1);
  return metrics;
}
