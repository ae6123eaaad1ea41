import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { createServer as createHttpsServer, type Server } from 'node:https';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AddressGuard, OutboundProxy } from '@tidings/runtime';
import {
  type ConnectProxy,
  type ConnectProxyOptions,
  selfSigned,
  startConnectProxy,
  type TlsFiles,
} from '@tidings/testing';
import type { FailedOpening } from './connection-failure.ts';
import { openFrameLink } from './frame-link.ts';
import { openHttp1Link } from './http1-link.ts';
import type { Http2Connection } from './http2-connection.ts';
import type { ConnectionSettings } from './http2-port.ts';
import { openNodeLink } from './node-link.ts';
import { Http2World } from './testing/http2-world.ts';

const HOST = 'provider.example.com';
const files = selfSigned({ host: HOST });

const finding =
  (...addresses: LookupAddress[]): LookupFunction =>
  (_, __, callback) =>
    callback(null, addresses);

const overHttp2 = ({ key, cert }: TlsFiles): Http2SecureServer =>
  createSecureServer({ key, cert }, (_, response) => response.end());
const overHttp1 = ({ key, cert }: TlsFiles): Server =>
  createHttpsServer({ key, cert }, (_, response) => response.end());

describe.each([
  ['HTTP/2 by frames of our own', openFrameLink, overHttp2],
  ['HTTP/2 by node:http2', openNodeLink, overHttp2],
  ['HTTP/1.1', openHttp1Link, overHttp1],
] as const)('a proxy, for %s', (_, openLink, serverWith) => {
  let world: Http2World;
  beforeEach(() => {
    world = new Http2World(openLink);
  });
  afterEach(() => world.close());

  async function serve(certificate = files): Promise<number> {
    const server = serverWith(certificate);
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => sockets.add(socket));
    server.on('tlsClientError', () => undefined);
    world.onClose(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return world.listen(server);
  }

  async function proxyWith(options: ConnectProxyOptions): Promise<ConnectProxy> {
    const proxy = await startConnectProxy(options);
    world.onClose(() => proxy.close());
    return proxy;
  }

  const connect = (url: string, { url: by }: { url: string }, settings: Partial<ConnectionSettings> = {}) =>
    world.connect(url, { ca: files.cert }, { proxy: new OutboundProxy(by), ...settings });

  async function failure(connection: Http2Connection): Promise<FailedOpening> {
    expect(connection.ready()).toBe(false);
    await new Promise<void>((resolve) => connection.whenReady(resolve));
    return connection.lastFailure()!;
  }

  it('opens a tunnel to the name of a provider, whose certificate is verified', async () => {
    const proxy = await proxyWith({ routes: { [`${HOST}:443`]: await serve() } });
    const connection = connect(`https://${HOST}`, proxy);
    expect(await world.send(connection)).toMatchObject({ status: 200 });
    expect(await world.send(connection)).toMatchObject({ status: 200 });
    expect(proxy.requests).toEqual([{ to: `${HOST}:443` }]);
  });

  it.each(['192.0.2.7', '[2001:db8::7]'])('opens a tunnel to %s, whose certificate is verified', async (host) => {
    const own = selfSigned({ host: host.replace(/^\[|\]$/g, '') });
    const proxy = await proxyWith({ routes: { [`${host}:443`]: await serve(own) } });
    const connection = world.connect(`https://${host}`, { ca: own.cert }, { proxy: new OutboundProxy(proxy.url) });
    expect(await world.send(connection)).toMatchObject({ status: 200 });
    expect(proxy.requests).toEqual([{ to: `${host}:443` }]);
  });

  it('receives its credentials', async () => {
    const proxy = await proxyWith({ routes: { [`${HOST}:8443`]: await serve() }, credentials: 'us er:p@ss' });
    const by = proxy.url.replace('//', '//us%20er:p%40ss@');
    expect(await world.send(connect(`https://${HOST}:8443`, { url: by }))).toMatchObject({ status: 200 });
    expect(proxy.requests).toEqual([{ to: `${HOST}:8443`, credentials: 'us er:p@ss' }]);
  });

  it("opens tunnels to the checked addresses of a caller's name, those of IPv4 first", async () => {
    const proxy = await proxyWith({ routes: { '[2001:db8::7]:443': await serve() } });
    const lookup = finding({ address: '2001:db8::7', family: 6 }, { address: '192.0.2.7', family: 4 });
    expect(await world.send(connect(`https://${HOST}`, proxy, { lookup }))).toMatchObject({ status: 200 });
    expect(proxy.requests).toEqual([{ to: '192.0.2.7:443' }, { to: '[2001:db8::7]:443' }]);
  });

  it('receives nothing for a name without an allowed address', async () => {
    const proxy = await proxyWith({});
    const guarded = new AddressGuard([]).lookup;
    const lookup: LookupFunction = (_, options, callback) => guarded('localhost', options, callback);
    expect(await failure(connect(`https://${HOST}`, proxy, { lookup }))).toMatchObject({ cause: 'private_address' });
    expect(proxy.requests).toEqual([]);
  });

  it('receives nothing for this machine, by its name or by a look-up', async () => {
    const proxy = await proxyWith({});
    const port = await serve();
    const local = world.connect(
      `https://127.0.0.1:${port}`,
      { ca: files.cert, checkServerIdentity: () => undefined },
      {
        proxy: new OutboundProxy(proxy.url),
      },
    );
    expect(await world.send(local)).toMatchObject({ status: 200 });
    const lookup = finding({ address: '127.0.0.1', family: 4 });
    expect(await world.send(connect(`https://${HOST}:${port}`, proxy, { lookup }))).toMatchObject({ status: 200 });
    expect(proxy.requests).toEqual([]);
  });

  it('receives nothing for hosts of NO_PROXY, and nothing without TLS', async () => {
    const proxy = await proxyWith({});
    // A label of more than 63 characters fails without asking any server.
    const host = `${'a'.repeat(64)}.invalid`;
    const settings = { proxy: new OutboundProxy(proxy.url, 'invalid') };
    expect(await failure(connect(`https://${host}`, proxy, settings))).toMatchObject({ cause: 'dns_failed' });
    expect(await failure(connect(`http://${host}`, proxy))).toMatchObject({ cause: 'dns_failed' });
    expect(proxy.requests).toEqual([]);
  });

  it('reaches a provider with the certificate of another host', async () => {
    const other = selfSigned({ host: 'other.example.com' });
    const proxy = await proxyWith({ routes: { [`${HOST}:443`]: await serve(other) } });
    const connection = world.connect(`https://${HOST}`, { ca: other.cert }, { proxy: new OutboundProxy(proxy.url) });
    expect(await failure(connection)).toMatchObject({ cause: 'certificate_host' });
  });

  it.each<[string, ConnectProxyOptions, RegExp]>([
    ['asks for credentials', { credentials: 'other:secret' }, /answered 407/],
    ['does not reach the provider', { credentials: 'user:secret' }, /answered 502/],
    ['answers in another protocol', { answer: (socket) => socket.end('SSH-2.0-x\r\n') }, /HPE_/],
    [
      'has an endless head',
      { answer: (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(10_000_000)}`) },
      /HPE_HEADER_OVERFLOW/,
    ],
    ['speaks in the tunnel', { answer: (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhello') }, /data of its own/],
    ['closes the connection', { answer: (socket) => socket.destroy() }, /ECONNRESET/],
    ['does not answer', { answer: () => undefined }, /has not answered: not open after 200 ms/],
  ])('is the reported cause if it %s', async (__, options, message) => {
    const proxy = await proxyWith(options);
    const by = proxy.url.replace('//', '//user:secret@');
    const timing = { connectMs: options.answer ? 200 : 10_000 };
    const found = await failure(connect(`https://${HOST}`, { url: by }, { timing }));
    expect(found).toMatchObject({ cause: 'proxy_failed', message: expect.stringMatching(message) });
    expect(found.message).not.toMatch(/secret/);
  });

  it('is the reported cause if it does not run', async () => {
    const proxy = await startConnectProxy();
    await proxy.close();
    expect(await failure(connect(`https://${HOST}`, proxy))).toMatchObject({
      cause: 'proxy_failed',
      message: `the proxy failed: ECONNREFUSED (CONNECT ${HOST}:443)`,
    });
  });
});
