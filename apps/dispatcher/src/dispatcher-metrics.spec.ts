import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { channelMetrics } from './dispatcher-metrics.ts';

it('dispatcher metrics read the gauges of a channel at each scrape', async () => {
  const registry = new Registry();
  const now = { throttled: 1, services: 0 };
  channelMetrics(registry, 'webpush', {
    deferred: () => Promise.resolve(7),
    throttled: () => now.throttled,
    throttledServices: () => now.services,
  });
  const scrape = async () =>
    Object.fromEntries(
      (await registry.getMetricsAsJSON()).flatMap(({ name, values }) =>
        values.map(({ value, labels }) => [name, { ...labels, value }]),
      ),
    );
  expect(await scrape()).toEqual({
    tidings_dispatch_deferred_slices: { channel: 'webpush', value: 7 },
    tidings_dispatch_throttled_credentials: { channel: 'webpush', value: 1 },
    tidings_dispatch_throttled_services: { channel: 'webpush', value: 0 },
  });
  now.services = 2;
  expect((await scrape())['tidings_dispatch_throttled_services']).toEqual({ channel: 'webpush', value: 2 });
});
