import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { connectionFailureOf, failedOpening, noHttp2, proxyFailed } from './connection-failure.ts';

const error = (code: string, syscall?: string, message = code): Error =>
  Object.assign(new Error(message), { code, syscall });

describe('the cause of a failed connection', () => {
  it.each([
    [error('ENOTFOUND', 'getaddrinfo'), 'dns_failed'],
    [error('EAI_AGAIN', 'getaddrinfo'), 'dns_failed'],
    [error('ECONNREFUSED', 'connect'), 'connection_refused'],
    [Fault.forbidden('it has no public address'), 'private_address'],
    [error('CERT_HAS_EXPIRED'), 'certificate_expired'],
    [error('DEPTH_ZERO_SELF_SIGNED_CERT'), 'certificate_untrusted'],
    [error('SELF_SIGNED_CERT_IN_CHAIN'), 'certificate_untrusted'],
    [error('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'certificate_untrusted'],
    [error('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), 'certificate_untrusted'],
    [error('CERT_NOT_YET_VALID'), 'certificate_untrusted'],
    [error('ERR_TLS_CERT_ALTNAME_INVALID'), 'certificate_host'],
    [noHttp2('no'), 'no_http2'],
    [proxyFailed('no'), 'proxy_failed'],
    [error('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'), 'no_http2'],
    [error('ECONNRESET', 'read'), 'unreachable'],
    [error('ETIMEDOUT', 'connect'), 'unreachable'],
    [error('EHOSTUNREACH', 'connect'), 'unreachable'],
    [new Error('whatever'), 'unreachable'],
    [undefined, 'unreachable'],
  ])('is read from the error: %s is %s', (cause, expected) => {
    expect(connectionFailureOf(cause)).toBe(expected);
  });

  it('is that of the first of several addresses with an error code', () => {
    const both = [
      error('ENETUNREACH', 'connect', 'no way to ::1'),
      error('ECONNREFUSED', 'connect', 'refused by 127.0.0.1'),
    ];
    const all = new AggregateError(both);
    expect(failedOpening(all, 7)).toEqual({
      cause: 'connection_refused',
      message: 'no way to ::1; refused by 127.0.0.1',
      at: 7,
    });
    expect(connectionFailureOf(new AggregateError([both[0]]))).toBe('unreachable');
  });

  it('has a text even without one of the provider, and a bounded one', () => {
    expect(failedOpening(undefined, 1).message).toMatch(/closed by the provider/);
    expect(failedOpening(new Error('x'.repeat(5000)), 1).message).toHaveLength(300);
  });
});
