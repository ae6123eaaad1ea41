import { describe, expect, it } from '@jest/globals';
import { JobFailure } from '@tidings/events';
import { Registry } from 'prom-client';
import { failureMetrics } from './job-metrics.ts';

describe('the count of failed jobs', () => {
  it('begins at 0 for each reason, so that the first failure is an increase', async () => {
    const registry = new Registry();
    const count = failureMetrics(registry);
    const values = async (): Promise<unknown> =>
      Object.fromEntries(
        (await registry.getSingleMetric('tidings_jobs_failures_total')!.get()).values.map(({ labels, value }) => [
          labels['reason'],
          value,
        ]),
      );
    expect(await values()).toEqual({ application_gone: 0, internal_error: 0, process_died: 0 });
    count(JobFailure.JOB_FAILURE_PROCESS_DIED);
    expect(await values()).toEqual({ application_gone: 0, internal_error: 0, process_died: 1 });
  });
});
