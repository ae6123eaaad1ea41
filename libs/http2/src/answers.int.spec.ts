import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CANCEL, Flag, Frame } from './frames.ts';
import { openFrameLink } from './frame-link.ts';
import { openNodeLink } from './node-link.ts';
import { Http2World } from './testing/http2-world.ts';

const KEPT = 16_384;
const PREFACE_BYTES = 24;
/** `:status: 404` in HPACK's static table. */
const STATUS_404 = Buffer.from([0x8d]);
const INTERNAL_ERROR = Buffer.from([0, 0, 0, 2]);

const frame = (type: number, flags: number, id: number, payload: Buffer = Buffer.alloc(0)): Buffer => {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(id, 5);
  return Buffer.concat([header, payload]);
};

function onRequest(socket: Socket, run: (id: number) => void): void {
  let input = Buffer.alloc(0);
  let at = PREFACE_BYTES;
  socket.on('data', (chunk: Buffer) => {
    input = Buffer.concat([input, chunk]);
    while (input.length >= at + 9) {
      if (input[at + 3] === Frame.Headers) run(input.readUInt32BE(at + 5));
      at += 9 + input.readUIntBE(at, 3);
    }
  });
}

describe.each([
  ['frames of our own', openFrameLink],
  ['node:http2', openNodeLink],
])('answers over HTTP/2 by %s', (_, openLink) => {
  let world: Http2World;
  beforeEach(() => {
    world = new Http2World(openLink);
  });
  afterEach(() => world.close());

  const serve: Http2World['serve'] = (...args) => world.serve(...args);
  const connect: Http2World['connect'] = (...args) => world.connect(...args);
  const send: Http2World['send'] = (...args) => world.send(...args);
  const to = (path: string) => ({ path, shared: [], own: [] });
  const fine = (stream: ServerHttp2Stream): void => stream.respond({ ':status': 200 }, { endStream: true });

  it('contain refusals with their headers and bodies, truncated to the limit', async () => {
    const { url } = await serve((stream, { headers }) => {
      stream.respond({ ':status': 429, 'retry-after': '17', 'x-long': 'y'.repeat(3000) });
      stream.end(headers[':path'] === '/long' ? 'ü'.repeat(30_000) : '{"reason":"TooManyRequests"}');
    });
    const connection = connect(url);
    expect(await send(connection)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '17' },
      body: '{"reason":"TooManyRequests"}',
    });
    const long = (await send(connection, undefined, { path: '/long', shared: [], own: [] })) as {
      readonly body: string;
    };
    expect(long.body.length).toBeGreaterThan(8000);
    expect(long.body.length).toBeLessThanOrEqual(16_384);
  });

  it('contain the reason of a reset stream', async () => {
    const { url } = await serve((stream, { headers }) => stream.close(Number(headers['code'])));
    const connection = connect(url);
    const reset = (code: number) => send(connection, undefined, { path: '/', shared: [], own: ['code', String(code)] });
    expect(await reset(7)).toEqual({ cause: 'unprocessed' });
    expect(await reset(2)).toEqual({ cause: 'lost' });
  });

  it('end with a timeout if they are late, and the connection continues', async () => {
    const { url } = await serve((stream, { headers }) => {
      if (headers[':path'] === '/p') stream.respond({ ':status': 200 }, { endStream: true });
    });
    const connection = connect(url);
    const silent = { path: '/silent', shared: [], own: [] };
    expect(await send(connection, undefined, silent, 300)).toEqual({ cause: 'timeout' });
    expect(await send(connection)).toMatchObject({ status: 200 });
  });

  it.each([400, 410, 503, 200])(
    'cancel the rest of a body of 2 MiB with the status %i, and their stream is free at once',
    async (status) => {
      const resets: number[] = [];
      const { url } = await serve((stream, { headers }) => {
        if (headers[':path'] !== '/long') {
          fine(stream);
          return;
        }
        stream.on('close', () => resets.push(stream.rstCode));
        stream.respond({ ':status': status, 'retry-after': '7' });
        stream.end(Buffer.alloc(2 << 20, 'x'));
      });
      const connection = connect(url, {}, { maxStreams: 1 });
      const end = await send(connection, undefined, to('/long'), 60_000);
      const kept = { headers: { 'retry-after': '7' }, body: 'x'.repeat(KEPT) };
      expect(end).toMatchObject({ status, ...(status === 200 ? {} : kept) });
      expect(await send(connection, undefined, to('/next'))).toMatchObject({ status: 200 });
      expect(resets).toEqual([CANCEL]);
    },
  );

  it('continue after more of such bodies than the window of a connection', async () => {
    const body = Buffer.alloc(2 << 20, 'x');
    const { url } = await serve(
      (stream) => {
        stream.respond({ ':status': 500 });
        stream.end(body);
      },
      { maxSessionMemory: 1_000 },
    );
    const connection = connect(url, {}, { maxStreams: 4 });
    const ends = await Promise.all(Array.from({ length: 40 }, () => send(connection, undefined, undefined, 60_000)));
    expect(ends).toEqual(ends.map(() => expect.objectContaining({ status: 500 })));
    expect(connection.epoch).toBe(1);
  });

  it('free the stream of an endless 200 at the deadline', async () => {
    const { url } = await serve((stream, { headers }) =>
      headers[':path'] === '/p' ? fine(stream) : stream.respond({ ':status': 200 }),
    );
    const connection = connect(url, {}, { maxStreams: 2 });
    const endless = await Promise.all([1, 2].map(() => send(connection, undefined, to('/endless'), 400)));
    expect(endless).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(await send(connection)).toMatchObject({ status: 200 });
    expect(connection.epoch).toBe(1);
  });

  it('are classified by their status at the deadline if a refusal does not end', async () => {
    const { url } = await serve((stream, { headers }) => {
      if (headers[':path'] === '/p') {
        fine(stream);
        return;
      }
      stream.respond({ ':status': 503, 'retry-after': '9' });
      stream.write('{"reason":');
    });
    const connection = connect(url, {}, { maxStreams: 1 });
    expect(await send(connection, undefined, to('/endless'), 400)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '9' },
      body: '{"reason":',
    });
    expect(await send(connection)).toMatchObject({ status: 200 });
  });

  it('are classified by their status if they are reset', async () => {
    const { port } = await world.tcp((socket) => {
      socket.write(frame(Frame.Settings, 0, 0));
      onRequest(socket, (id) => {
        socket.write(frame(Frame.Headers, Flag.EndHeaders, id, STATUS_404));
        socket.write(frame(Frame.RstStream, 0, id, INTERNAL_ERROR));
      });
    });
    const connection = connect(`http://127.0.0.1:${port}`);
    expect(await send(connection)).toMatchObject({ status: 404, body: '' });
    expect(await send(connection)).toMatchObject({ status: 404, body: '' });
    expect(connection.epoch).toBe(1);
  });

  it('are not classified if the connection is lost', async () => {
    const { url } = await serve((stream) => {
      stream.respond({ ':status': 410 });
      stream.write('{"reason":', () => stream.session?.destroy());
    });
    expect(await send(connect(url))).toEqual({ cause: 'lost' });
  });

  it.each([
    ['ends without a beginning', (id: number) => frame(Frame.Data, Flag.EndStream, id)],
    ['is reset in too few bytes', (id: number) => frame(Frame.RstStream, 0, id, Buffer.alloc(2))],
    ['has headers that cannot be read', (id: number) => frame(Frame.Headers, Flag.EndHeaders, id, Buffer.from([0xff]))],
    ['is pushed', (id: number) => frame(Frame.PushPromise, Flag.EndHeaders, id, Buffer.alloc(8))],
    ['is a frame without end', () => Buffer.alloc(64, 0xff)],
  ])('are lost if the server %s', async (_kind, reply) => {
    const { port } = await world.tcp((socket) => {
      socket.write(frame(Frame.Settings, 0, 0));
      onRequest(socket, (id) => socket.write(reply(id)));
    });
    const connection = connect(`http://127.0.0.1:${port}`);
    expect(await send(connection)).toEqual({ cause: 'lost' });
  });
});
