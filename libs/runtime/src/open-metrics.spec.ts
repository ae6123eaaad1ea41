import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { certificateAuthority } from '@tidings/testing';
import { openMetrics } from './open-metrics.ts';
import { Readiness } from './readiness.ts';

describe('the metrics of a process', () => {
  it('report whether it is ready', async () => {
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

  it('report when the first certificate of a chain expires', async () => {
    const authority = certificateAuthority('deployment');
    const { cert } = authority.issue('service.test');
    const metrics = openMetrics({ certificates: { grpc: cert + authority.ca, kafka: undefined } });
    const { values } = await metrics.getSingleMetric('tidings_tls_certificate_expiry_timestamp_seconds')!.get();
    // The CA is older than what it has issued; both are valid for a day.
    const first = Date.parse(new X509Certificate(authority.ca).validTo) / 1000;
    expect(values).toMatchObject([{ labels: { connection: 'grpc' }, value: first }]);
  });
});
