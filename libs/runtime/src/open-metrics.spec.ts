import { describe, expect, it } from '@jest/globals';
import { openMetrics } from './open-metrics.ts';
import { Readiness } from './readiness.ts';

describe('the metrics of a process', () => {
  it('tell whether it is ready', async () => {
    const readiness = new Readiness();
    const metrics = openMetrics({ readiness });
    const ready = async (): Promise<unknown> => {
      const { values } = await metrics.getSingleMetric('tidings_ready')!.get();
      return values.map(({ value }) => value);
    };
    expect(await ready()).toEqual([0]);
    readiness.start();
    expect(await ready()).toEqual([1]);
    readiness.probe('mongodb', () => Promise.reject(new Error('down')));
    expect(await ready()).toEqual([0]);
  });
});
