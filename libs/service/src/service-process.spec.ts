import { describe, expect, it } from '@jest/globals';
import { openLog, readServiceEnv, requiredByAll } from '@tidings/runtime';
import { certificateAuthority } from '@tidings/testing';
import { ServiceProcess } from './service-process.ts';

describe('the process of a service', () => {
  it('reports the expiry of its certificates for calls and for Kafka', async () => {
    const authority = certificateAuthority('deployment');
    const { cert, key } = authority.issue('service.test');
    const configuration = readServiceEnv(
      { required: requiredByAll, peers: [] },
      {
        KAFKA_BROKERS: '127.0.0.1:1',
        KAFKA_SSL_CERT: cert,
        KAFKA_SSL_KEY: key,
        GRPC_TLS_CERT: cert,
        GRPC_TLS_KEY: key,
        GRPC_TLS_CA: authority.ca,
        TIDINGS_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      },
    );
    const options = { name: 'spec', configuration, log: openLog('silent') };
    const { metrics } = new ServiceProcess<never, never>({ ...options, signal: new AbortController().signal });
    const { values } = await metrics.getSingleMetric('tidings_tls_certificate_expiry_timestamp_seconds')!.get();
    expect(values.map(({ labels }) => labels['connection'])).toEqual(['grpc', 'kafka']);
  });
});
