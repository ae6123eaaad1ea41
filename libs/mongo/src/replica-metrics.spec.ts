import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { replicaMetrics } from './replica-metrics.ts';

describe('the metric of the number for ids', () => {
  it('shows by service whether ids can be assigned', async () => {
    const registry = new Registry();
    let number: number | undefined = 0;
    replicaMetrics(registry, 'registry', { current: () => number });
    replicaMetrics(registry, 'scheduler', { current: () => 31 });
    const values = async (): Promise<unknown> =>
      (await registry.getSingleMetric('tidings_ids_blocked')!.get()).values.map(({ labels, value }) => [
        labels['service'],
        value,
      ]);
    expect(await values()).toEqual([
      ['registry', 0],
      ['scheduler', 0],
    ]);
    number = undefined;
    expect(await values()).toEqual([
      ['registry', 1],
      ['scheduler', 0],
    ]);
  });
});
