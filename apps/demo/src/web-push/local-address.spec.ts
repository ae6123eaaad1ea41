import { describe, expect, it } from '@jest/globals';
import { isLocalOnly, refusalOf } from './local-address.ts';

describe('a platform on the loopback address', () => {
  it.each([
    ['127.0.0.1', undefined],
    ['localhost', undefined],
    ['::1', undefined],
    ['127.0.0.1', 'http://localhost:8080'],
  ])('listens on %s, with the public URL %s', (host, publicUrl) => {
    expect(isLocalOnly({ host, publicUrl })).toBe(true);
  });

  it.each([
    ['0.0.0.0', undefined],
    ['::', undefined],
    ['192.168.1.5', undefined],
    ['push.example', undefined],
    ['127.0.0.1', 'https://push.example'],
    ['127.0.0.1', 'http://localhost.push.example'],
  ])('does not listen on %s, with the public URL %s', (host, publicUrl) => {
    expect(isLocalOnly({ host, publicUrl })).toBe(false);
  });
});

describe('the local page', () => {
  const port = 8080;

  it.each(['127.0.0.1:8080', 'localhost:8080', '[::1]:8080'])('is shown at %s', (host) => {
    expect(refusalOf({ host }, port)).toBeUndefined();
    expect(
      refusalOf({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }, port, 'POST'),
    ).toBeUndefined();
  });

  it.each([
    undefined,
    '',
    'rebound.example:8080',
    '127.0.0.1.rebound.example:8080',
    '127.0.0.1',
    'localhost:80',
    'a b',
  ])('is not shown at %s, to which a stranger may point a name', (host) => {
    expect(refusalOf({ host }, port)).toBe('Open this page at its local address');
    const origin = `http://${host}`;
    expect(refusalOf({ host, origin }, port, 'POST')).toBe('Open this page at its local address');
  });

  it.each(['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via', 'x-real-ip'])('detects a proxy by %s', (name) => {
    expect(refusalOf({ host: 'localhost:8080', [name]: '1' }, port)).toBe('This page is not served through a proxy');
  });

  it.each([
    { host: '127.0.0.1:8080' },
    { host: '127.0.0.1:8080', origin: 'null' },
    { host: '127.0.0.1:8080', origin: 'https://stranger.example' },
    { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:9090' },
    { host: '127.0.0.1:8080', origin: 'http://localhost:8080' },
    { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080', 'sec-fetch-site': 'cross-site' },
  ])('refuses actions of other pages: %j', (headers) => {
    expect(refusalOf(headers, port, 'POST')).toBe('Only the page itself may call this');
  });

  it('is accepted at the default port, which addresses leave out', () => {
    expect(refusalOf({ host: 'localhost', origin: 'http://localhost' }, 80, 'POST')).toBeUndefined();
  });
});
