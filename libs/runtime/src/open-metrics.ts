import { gaugeIn, readIn } from '@tidings/telemetry';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { certificatesIn } from './connection-security.ts';
import type { Readiness } from './readiness.ts';
import { productVersion } from './version.ts';

/** The default, 10 ms, is a good part of an idle process's cost. */
export const LOOP_TIMER_MS = 100;

export interface MetricsOptions {
  readonly readiness?: Readiness;
  /** PEM chains by connection. @default none */
  readonly certificates?: Readonly<Record<string, string | undefined>>;
}

export function openMetrics({ readiness, certificates = {} }: MetricsOptions = {}): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: LOOP_TIMER_MS });
  const help = 'Always 1; the label is the version of the process';
  const info = new Gauge({ name: 'tidings_build_info', help, labelNames: ['version'], registers: [metrics] });
  info.set({ version: productVersion }, 1);
  if (readiness) {
    reportReadiness(metrics, readiness);
    readiness.note('quarantine', () => quarantineIn(metrics));
  }
  reportExpiry(metrics, certificates);
  return metrics;
}

function reportReadiness(metrics: Registry, readiness: Readiness): void {
  const help = '1 = the process is ready, 0 = it starts, ends, or waits for a dependency';
  readIn(metrics, 'gauge', { name: 'tidings_ready', help }, async () => {
    const missing = Object.keys(await readiness.waitingFor());
    return [{ value: missing.length === 0 ? 1 : 0 }];
  });
}

async function quarantineIn(metrics: Registry): Promise<string | undefined> {
  const found = await metrics.getSingleMetric('tidings_log_quarantined_documents')?.get();
  const categories = (found?.values ?? []).filter(({ value }) => value > 0);
  if (categories.length === 0) return undefined;
  return `documents stand still: ${categories.map(({ labels, value }) => `${value} of ${labels['category']}`).join(', ')}`;
}

function reportExpiry(metrics: Registry, certificates: Readonly<Record<string, string | undefined>>): void {
  const expiry = gaugeIn(metrics, {
    name: 'tidings_tls_certificate_expiry_timestamp_seconds',
    help: 'When the first certificate in the chain that the process uses expires',
    labels: ['connection'],
  });
  for (const [connection, text] of Object.entries(certificates)) {
    if (text === undefined) continue;
    const expiries = certificatesIn(text).map(({ validTo }) => Date.parse(validTo));
    expiry.set({ connection }, Math.min(...expiries) / 1000);
  }
}
