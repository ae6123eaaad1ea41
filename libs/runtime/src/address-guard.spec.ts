import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { AddressGuard } from './address-guard.ts';

describe('addresses of callers', () => {
  it.each([
    ['push.example', true],
    ['93.184.216.34', true],
    ['[2606:2800:220:1:248:1893:25c8:1946]', true],
    ['127.0.0.1', false],
    ['10.0.0.1', false],
    ['[::1]', false],
    ['[::ffff:10.0.0.1]', false],
    ['localhost', false],
    ['my.LocalHost.', false],
  ])('are judged in a URL by their host: %s %j', (host, allowed) => {
    expect(new AddressGuard([]).allowsHost(new URL(`https://${host}/`).hostname)).toBe(allowed);
    expect(new AddressGuard(['0.0.0.0/0', '::/0']).allowsHost(host)).toBe(true);
  });

  const guard = new AddressGuard([]);

  it.each(['8.8.8.8', '172.15.255.255', '172.32.0.1', '2a00:1450:4001:81b::200a', '::ffff:8.8.8.8'])(
    'may be %s',
    (ip) => {
      expect(guard.allows(ip)).toBe(true);
    },
  );

  it.each([
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
    ...[
      '255.255.255.255',
      '::1',
      '::',
      'fe80::1',
      'fd00::1',
      'ff02::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:0:7f00:1',
      '64:ff9b::7f00:1',
    ],
    ...['168.63.129.16', '::ffff:168.63.129.16', '::ffff:a83f:8110', '64:ff9b::a83f:8110', '2002:a83f:8110::1'],
    ...['100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254', '161.26.0.7', '166.9.1.1', '199.36.153.8'],
    ...['100:0:0:1::1', '2001:0:a83f:8110::1', 'fec0::1'],
    ...['2002:7f00:1::', '3fff::1', '3fff:fff:ffff::1', '5f00::1', 'localhost', ''],
  ])('are refused as %j', (ip) => {
    expect(guard.allows(ip)).toBe(false);
  });

  it('are limited to those that an independent library regards as public', () => {
    // The whole internet reaches these.
    const reachable = new Set(['unicast', 'as112', 'as112v6', 'amt']);
    const byte = fc.integer({ min: 0, max: 255 });
    const group = fc.oneof(
      fc.constantFrom(0, 1, 0x64, 0xff9b, 0x2001, 0x2002, 0x3fff, 0x5f00, 0xfec0, 0xffff),
      fc.nat(0xffff),
    );
    const addresses = fc.oneof(
      fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.')),
      fc
        .array(group, { minLength: 8, maxLength: 8 })
        .map((groups) => groups.map((each) => each.toString(16)).join(':')),
    );
    fc.assert(
      fc.property(addresses, (address) => {
        const parsed = ipaddr.process(address);
        expect(guard.allows(address) && !reachable.has(parsed.range())).toBe(false);
      }),
      { numRuns: 5000 },
    );
  });

  it('may be private if the operator allows it', () => {
    const lenient = new AddressGuard(['127.0.0.0/8', 'fd00::/8', '10.0.0.7']);
    expect(['127.9.9.9', 'fd12::1', '10.0.0.7'].every((ip) => lenient.allows(ip))).toBe(true);
    expect(['10.0.0.8', '::1'].some((ip) => lenient.allows(ip))).toBe(false);
  });

  it('are checked when names are looked up', async () => {
    const resolveWith = (of: AddressGuard) =>
      new Promise((resolve, reject) =>
        of.lookup('localhost', { all: false }, (error, address) => (error ? reject(error) : resolve(address))),
      );
    await expect(guard.resolve('localhost')).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(new AddressGuard(['127.0.0.0/8']).resolve('127.0.0.1')).resolves.toMatchObject([{ family: 4 }]);
    await expect(resolveWith(guard)).rejects.toThrow('no public address');
    await expect(resolveWith(new AddressGuard(['127.0.0.0/8', '::1/128']))).resolves.toMatch(/^(127\.|::1)/);
  });
});
