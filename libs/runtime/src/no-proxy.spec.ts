import { describe, expect, it } from '@jest/globals';
import { isNoProxy, NoProxy } from './no-proxy.ts';

const has = (list: string, host: string, port = 443): boolean => new NoProxy(list).has(host, port);

describe('NO_PROXY', () => {
  it.each([
    ['example.com', 'example.com'],
    ['example.com', 'push.example.com'],
    ['.example.com', 'push.example.com'],
    ['.example.com', 'example.com'],
    ['EXAMPLE.com', 'Push.Example.COM'],
    ['example.com', 'example.com.'],
    ['example.com.', 'example.com'],
    ['a.test,example.com', 'example.com'],
    [' a.test , example.com ', 'example.com'],
    ['a.test example.com', 'a.test'],
    ['*', 'example.com'],
    ['*', '192.0.2.7'],
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.0/24', '192.0.2.7'],
    ['2001:db8::7', '2001:db8:0::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::/32', '[2001:db8::7]'],
    ['192.0.2.0/24', '::ffff:192.0.2.7'],
    ['example.com:443', 'push.example.com'],
    ['192.0.2.0/24:443', '192.0.2.7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['*:443', 'example.com'],
  ])('%j includes %s', (list, host) => {
    expect(isNoProxy(list)).toBe(true);
    expect(has(list, host)).toBe(true);
  });

  it.each([
    ['', 'example.com'],
    [',', 'example.com'],
    ['example.com', 'notexample.com'],
    ['example.com', 'com'],
    ['push.example.com', 'example.com'],
    ['example.com', 'example.com.test'],
    ['192.0.2.7', '192.0.2.77'],
    ['192.0.2.0/24', '192.0.3.7'],
    ['192.0.2.0/24', 'example.com'],
    ['0.0.0.0/0', '2001:db8::7'],
    ['2001:db8::/32', '2001:db9::7'],
    ['example.com:8443', 'example.com'],
    ['*:8443', 'example.com'],
    ['[2001:db8::7]:8443', '2001:db8::7'],
  ])('%j does not include %s', (list, host) => {
    expect(isNoProxy(list)).toBe(true);
    expect(has(list, host)).toBe(false);
  });

  it.each([
    ...['http://example.com', '*.example.com', 'example.com:', 'example.com:0', 'example.com:65536', 'example..com'],
    ...[
      '192.0.2.0/33',
      '192.0.2',
      '127.1',
      '192.0.2.256',
      '[example.com',
      '2001:db8::zz',
      'a/b',
      `${'a'.repeat(64)}.test`,
    ],
    Array(1_001).fill('a.test').join(','),
  ])('is refused as %j', (list) => expect(isNoProxy(list)).toBe(false));
});
