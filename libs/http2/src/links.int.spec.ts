import { randomBytes } from 'node:crypto';
import { createSecureServer, type Http2Session, type ServerHttp2Stream, type Settings } from 'node:http2';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { selfSigned } from '@tidings/testing';
import { openFrameLink } from './frame-link.ts';
import { openNodeLink } from './node-link.ts';
import { Http2World } from './testing/http2-world.ts';

const change = (session: Http2Session, settings: Settings): Promise<void> =>
  new Promise((resolve) => session.settings(settings, () => resolve()));

/** Node's own server is another implementation of the protocol. */
describe.each([
  ['frames of our own', openFrameLink],
  ['node:http2', openNodeLink],
])('HTTP/2 by %s', (_, openLink) => {
  let world: Http2World;
  beforeEach(() => {
    world = new Http2World(openLink);
  });
  afterEach(() => world.close());

  const serve: Http2World['serve'] = (...args) => world.serve(...args);
  const connect: Http2World['connect'] = (...args) => world.connect(...args);
  const send: Http2World['send'] = (...args) => world.send(...args);

  // Node's own link hands over at once what it is given.
  if (openLink === openFrameLink) {
    it('writes no request whose permission ends within the turn', async () => {
      const { url, received } = await serve((stream) => stream.respond({ ':status': 200 }, { endStream: true }));
      const connection = connect(url);
      expect(await send(connection)).toMatchObject({ status: 200 });
      let alive = true;
      const ends = [1, 2].map(() => send(connection, undefined, undefined, undefined, () => alive));
      alive = false;
      expect(await Promise.all(ends)).toEqual([{ cause: 'unprocessed' }, { cause: 'unprocessed' }]);
      alive = true;
      expect(await send(connection, Buffer.from('after'))).toMatchObject({ status: 200 });
      expect(received.map(({ body }) => String(body))).toEqual(['{}', 'after']);
    });

    it('does not continue a body that waited for a window without permission', async () => {
      const answer = (stream: ServerHttp2Stream): void => {
        if (!stream.aborted) stream.respond({ ':status': 200 }, { endStream: true });
      };
      const { url, received } = await serve(answer, { settings: { initialWindowSize: 10 } });
      const connection = connect(url);
      expect(await send(connection)).toMatchObject({ status: 200 });
      let checks = 0;
      const end = await send(connection, Buffer.alloc(100), undefined, undefined, () => checks++ === 0);
      expect(end).toEqual({ cause: 'lost' });
      // The server reads as far as it came.
      expect(received.map(({ body }) => body.length).filter((bytes) => bytes > 10)).toEqual([]);
    });
  }

  it('carries method, path, headers and bodies', async () => {
    const { url, received } = await serve((stream) => {
      stream.respond({ ':status': 200 });
      stream.end('fine');
    });
    const connection = connect(url);
    const shared = ['authorization', 'bearer x', 'apns-topic', 'com.example'];
    for (let i = 0; i < 5; i++) {
      const body = Buffer.from(`{"n":${i}}`);
      const end = await send(connection, body, { path: `/3/device/${i}`, shared, own: ['apns-id', `id ${i}`] });
      expect(end).toMatchObject({ status: 200 });
    }
    expect(received.map(({ headers, body }) => [headers[':path'], headers['apns-id'], String(body)])).toEqual(
      [0, 1, 2, 3, 4].map((i) => [`/3/device/${i}`, `id ${i}`, `{"n":${i}}`]),
    );
    for (const { headers } of received) {
      expect(headers).toMatchObject({
        ':method': 'POST',
        ':scheme': 'http',
        ':authority': url.slice(7),
        authorization: 'bearer x',
        'apns-topic': 'com.example',
      });
    }
  });

  it('sends bodies larger than windows and frames', async () => {
    const { url, received } = await serve((stream) => stream.respond({ ':status': 200 }, { endStream: true }), {
      settings: { initialWindowSize: 1000, maxConcurrentStreams: 5 },
    });
    const connection = connect(url);
    const bodies = Array.from({ length: 12 }, (_, i) => randomBytes(i * 9000));
    const ends = await Promise.all(bodies.map((body) => send(connection, body)));
    expect(ends).toEqual(ends.map(() => expect.objectContaining({ status: 200 })));
    const sizes = (list: readonly Uint8Array[]) => list.map(({ length }) => length).toSorted((a, b) => a - b);
    expect(sizes(received.map(({ body }) => body))).toEqual(sizes(bodies));
    for (const body of bodies) expect(received.some((one) => one.body.equals(body))).toBe(true);
  });

  it('respects the number of streams that the server allows, also when that changes', async () => {
    let open = 0;
    let most = 0;
    const { url, sessions } = await serve(
      (stream) => {
        most = Math.max(most, ++open);
        setTimeout(() => {
          open--;
          if (!stream.destroyed) stream.respond({ ':status': 200 }, { endStream: true });
        }, 5);
      },
      { settings: { maxConcurrentStreams: 7 } },
    );
    const connection = connect(url);
    await Promise.all(Array.from({ length: 60 }, () => send(connection)));
    expect(most).toBeLessThanOrEqual(7);
    await change(sessions[0]!, { maxConcurrentStreams: 2 });
    most = 0;
    await Promise.all(Array.from({ length: 20 }, () => send(connection)));
    expect(most).toBeLessThanOrEqual(2);
  });

  it('follows a server that allows a smaller header table, or none', async () => {
    const { url, received, sessions } = await serve(
      (stream) => stream.respond({ ':status': 200 }, { endStream: true }),
      {
        settings: { headerTableSize: 0 },
      },
    );
    const connection = connect(url);
    const lists = Array.from({ length: 6 }, (_, i) => ['authorization', `${i}`.repeat(300), 'x', `value ${i}`]);
    for (let i = 0; i < 30; i++) {
      if (i === 15) {
        await change(sessions[0]!, { headerTableSize: 700 });
      }
      const shared = lists[i % 6]!;
      expect(await send(connection, undefined, { path: '/p', shared, own: [] })).toMatchObject({ status: 200 });
      expect(received.at(-1)?.headers).toMatchObject({ authorization: shared[1], x: shared[3] });
    }
  });

  it('survives a GOAWAY: requests in flight end, later ones use another connection', async () => {
    const openStreams: ServerHttp2Stream[] = [];
    const answer = (stream: ServerHttp2Stream): void => stream.respond({ ':status': 200 }, { endStream: true });
    const { url, sessions } = await serve((stream) => {
      if (openStreams.length < 5) openStreams.push(stream);
      else answer(stream);
    });
    const connection = connect(url);
    const pendingRequests = Array.from({ length: 5 }, () => send(connection));
    while (openStreams.length < 5) await delay(5);
    sessions[0]!.goaway(0, 9);
    // Another connection may be there already.
    while (connection.ready() && sessions.length === 1) await delay(5);
    const after = Array.from({ length: 5 }, () => send(connection));
    expect(await Promise.all(after)).toEqual(after.map(() => expect.objectContaining({ status: 200 })));
    openStreams.forEach(answer);
    expect(await Promise.all(pendingRequests)).toEqual(
      pendingRequests.map(() => expect.objectContaining({ status: 200 })),
    );
    expect(sessions.length).toBe(2);
    expect(connection.epoch).toBe(2);
  });

  it('reports requests that were written to a lost connection as lost', async () => {
    const { url, sessions } = await serve((stream) => {
      stream.session?.destroy();
    });
    const connection = connect(url);
    expect(await send(connection)).toEqual({ cause: 'lost' });
    expect(sessions.length).toBe(1);
  });

  it('answers the pings of the server', async () => {
    const { url, sessions } = await serve((stream) => stream.respond({ ':status': 200 }, { endStream: true }));
    const connection = connect(url);
    await send(connection);
    await new Promise<void>((resolve, reject) => {
      sessions[0]!.ping((error) => (error ? reject(error) : resolve()));
    });
  });

  it('uses TLS, to trusted hosts only', async () => {
    const { cert, key } = selfSigned();
    const server = createSecureServer({ cert, key });
    server.on('stream', (stream) => stream.respond({ ':status': 200 }, { endStream: true }));
    server.on('sessionError', () => undefined);
    const port = await world.listen(server);
    world.onClose(() => server.close());
    const trusting = connect(`https://localhost:${port}`, { ca: cert });
    expect(await send(trusting)).toMatchObject({ status: 200 });
    trusting.close();
    const verifying = connect(`https://localhost:${port}`);
    expect(verifying.ready()).toBe(false);
    await new Promise<void>((resolve) => verifying.whenReady(resolve));
    expect(verifying.downUntil()).toBeGreaterThan(performance.now());
  });

  it.each([
    ['says nothing', 1, () => undefined],
    ['closes at once', 3, (socket: Socket) => socket.destroy()],
    ['speaks something else', 3, (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])(
    'backs off after a server that %s',
    async (_kind: string, tries: number, greet: (socket: Socket) => unknown) => {
      const { port, sockets } = await world.tcp(greet);
      const connection = connect(`http://127.0.0.1:${port}`);
      for (let failed = 0; failed < tries;) {
        expect(connection.ready()).toBe(false);
        const down = connection.downUntil() - performance.now();
        if (down > 0) {
          failed++;
          await delay(down);
        } else await new Promise<void>((resolve) => connection.whenReady(resolve));
      }
      expect(sockets.length).toBeGreaterThan(0);
      expect(sockets.length).toBeLessThan(6);
    },
    20_000,
  );
});
