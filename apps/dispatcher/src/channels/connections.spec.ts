import { describe, expect, it } from '@jest/globals';
import type { ConnectionFailure, ProviderConnection } from '@tidings/http2';
import { connectionResult } from './connections.ts';

const causes = [
  'dns_failed',
  'connection_refused',
  'certificate_expired',
  'certificate_untrusted',
  'certificate_host',
  'no_http2',
  'proxy_failed',
  'unreachable',
] as const satisfies readonly ConnectionFailure[];

const failing = (cause: ConnectionFailure): ProviderConnection =>
  ({ lastFailure: () => ({ cause, message: 'no', at: 0 }) }) as Partial<ProviderConnection> as ProviderConnection;

describe('a device whose connection does not open in time', () => {
  it.each(causes)('ends with the name of the cause, %s', (cause) => {
    expect(connectionResult(failing(cause))).toMatchObject({
      category: 'PROVIDER_ERROR',
      code: '0',
      name: cause,
      then: { do: 'final' },
    });
  });
});
