import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { createSecureServer, createServer as createPlainServer } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LookupFunction } from 'node:net';
import { AddressGuard } from '@tidings/runtime';
import { selfSigned, type TlsFiles } from '@tidings/testing';
import type { Http2Connection } from './http2-connection.ts';
import type { FailedOpening } from './connection-failure.ts';
import { openFrameLink } from './frame-link.ts';
import { openNodeLink } from './node-link.ts';
import { Http2World } from './testing/http2-world.ts';

const opened = (connection: Http2Connection): Promise<void> => new Promise((resolve) => connection.whenReady(resolve));

const trusted = selfSigned();

describe.each([
  ['frames of our own', openFrameLink],
  ['node:http2', openNodeLink],
])('a connection by %s that does not open', (_, openLink) => {
  let world: Http2World;
  beforeEach(() => {
    world = new Http2World(openLink);
  });
  afterEach(() => world.close());

  async function failure(url: string, tls = {}, lookup?: LookupFunction): Promise<FailedOpening> {
    const reported: [FailedOpening, string][] = [];
    const timing = { connectMs: url.endsWith('/silent') ? 300 : 10_000 };
    const connection = world.connect(url, tls, { timing, lookup, onFailure: (...all) => reported.push(all) });
    expect(connection.ready()).toBe(false);
    expect(connection.lastFailure()).toBeUndefined();
    await opened(connection);
    expect(connection.downUntil()).toBeGreaterThan(0);
    const last = connection.lastFailure();
    expect(reported).toEqual([[last, new URL(url).host]]);
    expect(last!.message).not.toBe('');
    expect(Math.abs(performance.now() - last!.at)).toBeLessThan(60_000);
    return last!;
  }

  async function serveTls({ key, cert }: TlsFiles): Promise<string> {
    const server = createSecureServer({ key, cert });
    for (const event of ['sessionError', 'tlsClientError']) server.on(event, () => undefined);
    const port = await world.listen(server);
    world.onClose(() => server.close());
    return `https://localhost:${port}`;
  }

  async function tlsOnly(options: TlsOptions): Promise<string> {
    const server = createTlsServer({ ...trusted, ...options }, (socket) => {
      socket.on('error', () => undefined);
      socket.resume();
    });
    server.on('tlsClientError', () => undefined);
    const port = await world.listen(server);
    world.onClose(() => server.close());
    return `https://localhost:${port}`;
  }

  const freePort = async (): Promise<number> => {
    const other = new Http2World(openLink);
    const { port } = await other.tcp(() => undefined);
    await other.close();
    return port;
  };

  it('opens without faults', async () => {
    const connection = world.connect(await serveTls(trusted), { ca: trusted.cert });
    connection.ready();
    await opened(connection);
    expect(connection.ready()).toBe(true);
    expect(connection.lastFailure()).toBeUndefined();
  });

  it('reports an expired certificate', async () => {
    const files = selfSigned({ days: -0.1 });
    const found = await failure(await serveTls(files), { ca: files.cert });
    expect(found).toMatchObject({ cause: 'certificate_expired', message: expect.stringMatching(/expired/) });
  });

  it('reports a certificate of an unknown CA', async () => {
    expect(await failure(await serveTls(trusted))).toMatchObject({ cause: 'certificate_untrusted' });
  });

  it('reports a certificate for another host', async () => {
    const files = selfSigned({ host: 'push.example.com' });
    const found = await failure(await serveTls(files), { ca: files.cert });
    expect(found).toMatchObject({ cause: 'certificate_host' });
  });

  it.each([
    ['offers HTTP/1.1 only', { ALPNProtocols: ['http/1.1'] }],
    ['offers nothing', {}],
  ])('reports a server that %s', async (_kind, options) => {
    expect(await failure(await tlsOnly(options), { ca: trusted.cert })).toMatchObject({ cause: 'no_http2' });
  });

  it('reports a server that speaks HTTP/1.1 without TLS', async () => {
    const { port } = await world.tcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await failure(`http://localhost:${port}`)).toMatchObject({ cause: 'no_http2' });
  });

  it('reports a refused connection', async () => {
    const url = `://localhost:${await freePort()}`;
    expect(await failure(`http${url}`)).toMatchObject({
      cause: 'connection_refused',
      message: expect.stringMatching(/ECONNREFUSED/),
    });
    expect(await failure(`https${url}`)).toMatchObject({ cause: 'connection_refused' });
  });

  it('reports an unknown host name', async () => {
    // A label of more than 63 characters fails without asking any server.
    const host = `${'a'.repeat(64)}.invalid`;
    expect(await failure(`https://${host}`)).toMatchObject({ cause: 'dns_failed' });
    expect(await failure(`http://${host}`)).toMatchObject({ cause: 'dns_failed' });
  });

  it.each(['http', 'https'])('reports a name without an allowed address: %s', async (scheme) => {
    const { lookup } = new AddressGuard([]);
    const url = `${scheme}://localhost:${await freePort()}`;
    expect(await failure(url, {}, lookup)).toMatchObject({ cause: 'private_address' });
  });

  it('connects to the address that was checked', async () => {
    const { port } = new URL(await serveTls(trusted));
    const lookup = new AddressGuard(['127.0.0.0/8', '::1']).lookup;
    const requests: string[] = [];
    const connection = world.connect(
      `https://localhost:${port}`,
      { ca: trusted.cert },
      {
        lookup: (name, options, found) => {
          requests.push(name);
          lookup(name, options, found);
        },
      },
    );
    connection.ready();
    await opened(connection);
    expect(connection.isOpen()).toBe(true);
    expect(requests).toEqual(['localhost']);
  });

  it.each(['http', 'https'])('reports a server that accepts and does not answer: %s', async (scheme) => {
    const { port } = await world.tcp(() => undefined);
    const found = await failure(`${scheme}://localhost:${port}/silent`);
    expect(found).toMatchObject({ cause: 'unreachable', message: 'not open after 300 ms' });
  });

  it('reports a server that closes at once', async () => {
    const { port } = await world.tcp((socket) => socket.destroy());
    expect(await failure(`http://localhost:${port}`)).toMatchObject({ cause: 'unreachable' });
    expect(await failure(`https://localhost:${port}`)).toMatchObject({ cause: 'unreachable' });
  });

  it('reports a server that closes the session before the first answer', async () => {
    const { url, sessions } = await world.serve((stream) => stream.close());
    const connection = world.connect(url);
    connection.ready();
    await opened(connection);
    expect(connection.ready()).toBe(true);
    sessions[0]!.destroy();
    while (connection.ready()) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(connection.lastFailure()).toMatchObject({ cause: 'unreachable' });
  });

  it('reports no failure once it is open', async () => {
    const port = await freePort();
    const connection = world.connect(`http://127.0.0.1:${port}`);
    connection.ready();
    await opened(connection);
    expect(connection.lastFailure()).toMatchObject({ cause: 'connection_refused' });
    const server = createPlainServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    world.onClose(() => server.close());
    while (!connection.ready()) {
      if (connection.downUntil() > 0) await delay(10);
      else await opened(connection);
    }
    expect(connection.lastFailure()).toBeUndefined();
  });
});
