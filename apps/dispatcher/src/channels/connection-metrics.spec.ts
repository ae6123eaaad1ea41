import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { connectionMetrics } from './connection-metrics.ts';

describe('the count of failed connections', () => {
  it('has channel and cause as labels', async () => {
    const registry = new Registry();
    const metrics = connectionMetrics(registry, 'apns');
    metrics.failed('dns_failed');
    metrics.failed('dns_failed');
    connectionMetrics(registry, 'fcm').failed('no_http2');
    const { values } = await registry.getSingleMetric('tidings_dispatch_connection_failures_total')!.get();
    expect(values.map(({ labels, value }) => ({ ...labels, value }))).toEqual([
      { channel: 'apns', cause: 'dns_failed', value: 2 },
      { channel: 'fcm', cause: 'no_http2', value: 1 },
    ]);
  });
});
