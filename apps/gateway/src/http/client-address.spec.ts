import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ClientAddresses } from './client-address.ts';

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('the address of a client', () => {
  const clients = new ClientAddresses(['10.0.0.0/8', 'fd00::/8']);

  it.each([
    ['is that of the connection for an untrusted client', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['is the one that a trusted proxy names', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is the last one that is not a proxy', '10.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['is that of the proxy if it names none', '10.0.0.1', undefined, '10.0.0.1'],
    ['is that of the farthest proxy if all are proxies', '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['is not read beyond an invalid entry', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['is not read beyond an empty entry', '10.0.0.1', '198.51.100.1,,10.0.0.2', '10.0.0.2'],
    ['may have a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['may be an IPv6 address', 'fd00::1', '2001:db8::7', '2001:db8::7'],
    ['may be an IPv6 address with a port', 'fd00::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['of IPv4 may be mapped into IPv6', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['is unknown once the connection is gone', undefined, '198.51.100.1', ''],
  ])('%s', (_, connected, forwarded, address) => {
    expect(clients.of(request(connected, forwarded))).toBe(address);
  });

  it('is never read from a header unless proxies are trusted', () => {
    expect(new ClientAddresses([]).of(request('127.0.0.1', '198.51.100.1'))).toBe('127.0.0.1');
  });

  it('is searched behind at most 16 proxies', () => {
    const hops = Array.from({ length: 100 }, () => '10.0.0.2').join(',');
    expect(clients.of(request('10.0.0.1', `198.51.100.1,${hops}`))).toBe('10.0.0.2');
  });
});
