import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AddressGuard } from '@tidings/runtime';
import { selfSigned } from '@tidings/testing';
import type { Http2Connection } from './http2-connection.ts';
import { openHttp1Link } from './http1-link.ts';
import type { ConnectionSettings } from './http2-port.ts';
import { type End, Http2World } from './testing/http2-world.ts';

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

const ok: Answer = (response, _, body) => response.setHeader('x-told', 'yes').end(`got ${body}`);

describe('HTTP/1.1', () => {
  let world: Http2World;
  beforeEach(() => {
    world = new Http2World(openHttp1Link);
  });
  afterEach(() => world.close());

  async function serve(answer: Answer, make: () => Server = () => createServer()) {
    const sockets: Socket[] = [];
    const requests: IncomingMessage[] = [];
    const server = make();
    server.on('connection', (socket: Socket) => sockets.push(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      let body = '';
      requests.push(request);
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => answer(response, request, body));
    });
    const port = await world.listen(server);
    world.onClose(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { url: `http://127.0.0.1:${port}`, port, sockets, requests, server };
  }

  const connect = (url: string, settings: Partial<ConnectionSettings> = {}, tls = {}): Http2Connection =>
    world.connect(url, tls, settings);
  const send = (connection: Http2Connection, body = 'x', timeoutMs?: number, mayFlush?: () => boolean): Promise<End> =>
    world.send(connection, Buffer.from(body), { path: '/p', shared: ['a', 'b'], own: ['c', 'd'] }, timeoutMs, mayFlush);

  it('posts path, headers and body, and returns status, headers and body of every answer', async () => {
    const { url, requests } = await serve(ok);
    const end = await send(connect(url), 'ü');
    expect(end).toMatchObject({ status: 200, headers: { 'x-told': 'yes' }, body: 'got ü' });
    const [{ method, url: path, headers }] = requests as [IncomingMessage];
    expect([method, path, headers['a'], headers['c'], headers['content-length']]).toEqual([
      'POST',
      '/p',
      'b',
      'd',
      '2',
    ]);
  });

  it('keeps its connections, and opens no more than it needs', async () => {
    const { url, sockets } = await serve(ok);
    const connection = connect(url);
    for (let i = 0; i < 5; i++) await send(connection);
    expect(sockets).toHaveLength(1);
    await Promise.all(Array.from({ length: 20 }, () => send(connection)));
    expect(sockets.length).toBeGreaterThan(1);
    expect(sockets.length).toBeLessThanOrEqual(20);
  });

  it('has a limited number of requests at a time', async () => {
    let most = 0;
    let open = 0;
    const { url, sockets } = await serve((response) => {
      most = Math.max(most, ++open);
      setTimeout(() => (open--, response.end()), 5);
    });
    const connection = connect(url, { maxStreams: 3 });
    const ends = await Promise.all(Array.from({ length: 30 }, () => send(connection)));
    expect(ends.every((end) => 'status' in end && end.status === 200)).toBe(true);
    expect([most, sockets.length]).toEqual([3, 3]);
  });

  it('continues if the provider closes connections after an answer', async () => {
    const { url, sockets } = await serve((response) => response.setHeader('connection', 'close').end());
    const connection = connect(url);
    for (let i = 0; i < 3; i++) expect(await send(connection)).toMatchObject({ status: 200 });
    expect(sockets).toHaveLength(3);
    expect(connection.epoch).toBe(1);
  });

  it('distinguishes a lost connection from a request that was never written', async () => {
    const { url, server } = await serve((_, request) => request.socket.resetAndDestroy());
    const connection = connect(url);
    expect(await send(connection)).toEqual({ cause: 'lost' });
    expect(await send(connection, 'x', undefined, () => false)).toEqual({ cause: 'unprocessed' });
    await new Promise((resolve) => server.close(resolve));
    expect(connection.ready()).toBe(true);
    const exchange = Promise.withResolvers<string>();
    connection.request({ path: '/p', shared: [], own: [] }, Buffer.from('x'), {
      deadline: performance.now() + 10_000,
      mayFlush: () => true,
      answered: () => exchange.resolve('answered'),
      failed: exchange.resolve,
    });
    expect(await exchange.promise).toBe('unprocessed');
    await new Promise<void>((resolve) => connection.whenReady(resolve));
    expect(connection.lastFailure()).toMatchObject({ cause: 'connection_refused' });
  });

  it('ends a request at the deadline, and then uses another connection', async () => {
    let calls = 0;
    const { url, sockets } = await serve((response) => (++calls === 1 ? undefined : response.end()));
    const connection = connect(url);
    expect(await send(connection, 'x', 100)).toEqual({ cause: 'timeout' });
    expect(await send(connection)).toMatchObject({ status: 200 });
    expect(sockets.length).toBeGreaterThan(1);
  });

  it('classifies an answer that does not end by its status', async () => {
    const { url } = await serve((response) => {
      response.writeHead(429, { 'retry-after': '7' }).write('{"half');
    });
    expect(await send(connect(url), 'x', 100)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
      body: '{"half',
    });
  });

  it('cancels the rest of a long answer', async () => {
    const { url } = await serve((response) => response.end('x'.repeat(1_000_000)));
    const connection = connect(url);
    const end = await send(connection);
    expect('body' in end && end.body.length).toBe(16_384);
    expect(await send(connection)).toMatchObject({ status: 200 });
  });

  it('ignores interim answers', async () => {
    const { url } = await serve((response) => {
      response.writeProcessing();
      response.end('whole');
    });
    expect(await send(connect(url))).toMatchObject({ status: 200, body: 'whole' });
  });

  it('fails a request that HTTP does not permit', async () => {
    const { url } = await serve(ok);
    const request = { path: '/p', shared: ['a', 'b\r\nc: d'], own: [] };
    expect(await world.send(connect(url), Buffer.from('x'), request)).toEqual({ cause: 'lost' });
  });

  it('ends its requests when it is closed', async () => {
    const { url } = await serve(() => undefined);
    const connection = connect(url);
    const response = send(connection);
    await new Promise((resolve) => setTimeout(resolve, 20));
    connection.close();
    expect(await response).toEqual({ cause: 'lost' });
  });

  it('verifies the certificate of the provider', async () => {
    const trusted = selfSigned();
    const { port } = await serve(ok, () => createSecureServer(trusted));
    const secure = `https://localhost:${port}`;
    expect(await send(connect(secure, {}, { ca: trusted.cert }))).toMatchObject({ status: 200 });
    const doubted = connect(secure);
    await new Promise<void>((resolve) => doubted.whenReady(resolve));
    expect(doubted.lastFailure()).toMatchObject({ cause: 'certificate_untrusted' });
  });

  it('connects only to addresses that the look-up permits', async () => {
    const { port } = await serve(ok);
    const lookup: LookupFunction = new AddressGuard([]).lookup;
    const connection = connect(`http://localhost:${port}`, { lookup });
    await new Promise<void>((resolve) => connection.whenReady(resolve));
    expect(connection.lastFailure()).toMatchObject({ cause: 'private_address' });
  });
});
