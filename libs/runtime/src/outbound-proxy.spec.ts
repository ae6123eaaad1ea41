import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { readEnv } from './configuration.ts';
import { OutboundProxy } from './outbound-proxy.ts';

const refusalOf = (env: NodeJS.ProcessEnv): string => {
  try {
    readEnv(env);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('HTTPS_PROXY', () => {
  it('is the address of a proxy, with or without credentials', () => {
    const { proxy } = readEnv({ HTTPS_PROXY: 'http://proxy.example.com:3128', NO_PROXY: '.test' });
    expect(proxy).toMatchObject({ host: 'proxy.example.com', port: 3128 });
    expect(proxy!.credentials()).toBeUndefined();
    expect(readEnv({ HTTPS_PROXY: 'http://u%20ser:p%40ss%3A@[2001:db8::1]' }).proxy).toMatchObject({
      host: '2001:db8::1',
      port: 80,
    });
    expect(new OutboundProxy('http://u%20ser:p%40ss%3A@proxy').credentials()).toBe('u ser:p@ss:');
    expect(new OutboundProxy('http://user@proxy').credentials()).toBe('user:');
    expect(readEnv({ NO_PROXY: 'example.com' }).proxy).toBeUndefined();
  });

  it('hides its credentials in logs', () => {
    const proxy = new OutboundProxy('http://user:secret@proxy:3128');
    expect(`${JSON.stringify(proxy)} ${inspect(proxy, { showHidden: true })}`).not.toMatch(/secret|user/);
  });

  it.each([
    ...['proxy.example.com:3128', 'socks5://proxy:1080', 'http://', 'http://proxy:3128/path', 'http://proxy?a=b'],
    ...[
      'http://user%zz:secret@proxy',
      'http://:secret@proxy',
      'http://a%3Ab:secret@proxy',
      'http://user:sec%0Aret@proxy',
    ],
  ])('is refused at the start as %j, without its value', (HTTPS_PROXY) =>
    expect(refusalOf({ HTTPS_PROXY })).toBe('HTTPS_PROXY: must be http://host:port or http://user:password@host:port'),
  );

  it('is refused with TLS to the proxy', () =>
    expect(refusalOf({ HTTPS_PROXY: 'https://user:secret@proxy:3128' })).toBe(
      'HTTPS_PROXY: must begin with http://: TLS to the proxy is not supported',
    ));

  it('is refused with an invalid list of exceptions', () =>
    expect(refusalOf({ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '*.example.com' })).toMatch(/^NO_PROXY: must be /));

  it('serves every host except those of NO_PROXY and this machine', () => {
    const proxy = new OutboundProxy('http://proxy:3128', 'example.com,10.0.0.0/8');
    for (const host of ['push.example.org', '192.0.2.7', '2001:db8::1', '128.0.0.1']) {
      expect([host, proxy.serves(host, 443)]).toEqual([host, true]);
    }
    const own = ['localhost', 'a.LOCALHOST.', '127.0.0.1', '127.9.9.9', '::1', '[::1]', '::ffff:127.0.0.1'];
    for (const host of [...own, 'push.example.com', '10.1.2.3']) {
      expect([host, proxy.serves(host, 443)]).toEqual([host, false]);
    }
  });
});
