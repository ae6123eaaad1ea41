import { once } from 'node:events';
import { connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openLog } from '@tidings/runtime';
import { dialIn } from '../testing/test-subscriber.ts';
import type { DialledCall } from './dialled-call.ts';
import { type EventsLimits, eventsLimits, type EventsServer, openEventsServer } from './events-server.ts';

const subscribe = {
  [constants.HTTP2_HEADER_METHOD]: 'POST',
  [constants.HTTP2_HEADER_PATH]: '/tidings.events.v1.EventStream/Subscribe',
  'content-type': 'application/grpc',
  te: 'trailers',
};
const [FRAME_HEADER, SETTINGS, PING, GOAWAY] = [9, 4, 6, 7];

function frameTypes(bytes: Buffer): number[] {
  const types: number[] = [];
  for (let at = 0; at + FRAME_HEADER <= bytes.length; at += FRAME_HEADER + bytes.readUIntBE(at, 3)) {
    types.push(bytes[at + 3]!);
  }
  return types;
}

describe('limits of connections that dial in (R-EV7)', () => {
  let server: EventsServer | undefined;
  const sockets: Socket[] = [];
  const calls: DialledCall[] = [];
  let floods = 0;

  const open = async (limits: Partial<EventsLimits>): Promise<EventsServer> => {
    calls.length = 0;
    floods = 0;
    server = await openEventsServer({
      host: '127.0.0.1',
      port: 0,
      log: openLog('silent'),
      flooded: () => void floods++,
      limits: { ...eventsLimits, ...limits },
      serve: (call) => {
        calls.push(call);
        call.link({
          acked: () => undefined,
          failed: () => undefined,
          drained: () => undefined,
          broken: () => undefined,
        });
      },
    });
    return server;
  };
  const raw = async (port: number, bytes = Buffer.alloc(0)) => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    const got: Buffer[] = [];
    socket.on('data', (part: Buffer) => got.push(part));
    const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
    socket.write(bytes);
    return { closed, got: () => Buffer.concat(got), isClosed: () => socket.closed };
  };
  const preface = Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    Buffer.from([0, 0, 0, SETTINGS, 0, 0, 0, 0, 0]),
  ]);
  const dial = ({ port }: EventsServer) => dialIn({ address: `127.0.0.1:${port}`, subscription: 's' });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server?.close();
  });

  it('close further connections at once, and admit another one when one has ended', async () => {
    const { port } = await open({ connections: 2 });
    const first = await raw(port, preface);
    const second = await raw(port, preface);
    await (
      await raw(port, preface)
    ).closed;
    expect([first.isClosed(), second.isClosed()]).toEqual([false, false]);
    sockets[0]!.destroy();
    await first.closed;
    while ((await raw(port, preface)).isClosed()) await delay(1);
    expect(second.isClosed()).toBe(false);
  });

  it('close a connection without a call, also one that never sends HTTP/2', async () => {
    const { port } = await open({ idleMs: 50 });
    const [silent, polite] = [await raw(port), await raw(port, preface)];
    await Promise.all([silent.closed, polite.closed]);
    expect(frameTypes(polite.got())).toContain(GOAWAY);
  });

  it('close a connection that answers no ping', async () => {
    const { port } = await open({ pingMs: 50, pongMs: 50 });
    const gone = await raw(port, preface);
    await gone.closed;
    expect(frameTypes(gone.got())).toContain(PING);
  });

  it.each([
    ['PING', Buffer.from([0, 0, 8, PING, 0, 0, 0, 0, 0, ...Buffer.alloc(8)])],
    ['SETTINGS', Buffer.from([0, 0, 0, SETTINGS, 0, 0, 0, 0, 0])],
  ])('close a connection that sends %s and does not read, and count it', async (_, frame) => {
    const { port } = await open({});
    const frames = Buffer.concat(Array.from({ length: 10_000 }, () => frame));
    const { closed } = await raw(port, preface);
    const socket = sockets.at(-1)!.pause();
    const pump = (): void => {
      while (!socket.destroyed && socket.write(frames));
    };
    socket.on('drain', pump);
    pump();
    await closed;
    expect(floods).toBe(1);
  });

  it('report the number of calls on a connection', async () => {
    const { port } = await open({ calls: 3 });
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    try {
      await once(session, 'remoteSettings');
      expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 3 });
    } finally {
      session.destroy();
    }
  });

  it('end a call with an answer that is too long', async () => {
    const served = await open({ answerBytes: 1_000 });
    const consumer = await dial(served);
    expect(calls).toHaveLength(1);
    const session = connectHttp2(`http://127.0.0.1:${served.port}`);
    try {
      const stream = session.request(subscribe);
      const length = Buffer.alloc(5);
      length.writeUInt32BE(5_000, 1);
      stream.write(Buffer.concat([length, Buffer.alloc(5_000)]));
      stream.resume();
      const ended = Promise.withResolvers<unknown>();
      stream.on('trailers', (trailers: IncomingHttpHeaders) => ended.resolve(trailers['grpc-status']));
      stream.on('response', (headers) => headers['grpc-status'] && ended.resolve(headers['grpc-status']));
      stream.on('error', () => undefined);
      // RESOURCE_EXHAUSTED
      expect(await ended.promise).toBe('8');
    } finally {
      session.destroy();
      consumer.kill();
    }
  });

  it.each<readonly [string, Record<string, string>]>([
    ['in one header', { 'x-large': 'x'.repeat(2 ** 20) }],
    [
      'in 100 headers',
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, 'x'.repeat(2 ** 20 / 100)])),
    ],
    [
      'in 1,000 headers',
      Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`x-${i}`, 'x'.repeat(2 ** 20 / 1_000)])),
    ],
  ])('refuse a call with 1 MiB of metadata %s, and serve others', async (_, metadata) => {
    const served = await open({});
    const consumer = await dial(served);
    let isOver = false;
    void consumer.ended.then(() => (isOver = true));
    // A client does not send so much by default.
    const session = connectHttp2(`http://127.0.0.1:${served.port}`, { maxSendHeaderBlockLength: 2 ** 22 });
    try {
      session.on('error', () => undefined);
      const stream = session.request({ ...subscribe, ...metadata });
      const responses: unknown[] = [];
      stream.on('response', (headers) => responses.push(headers));
      const [error] = (await once(stream, 'error')) as [Error & { readonly code: string }];
      expect(error.code).toMatch(/^ERR_HTTP2_(?:SESSION|STREAM)_ERROR$/);
      expect([responses, calls.length]).toEqual([[], 1]);
      (await dial(served)).kill();
      expect([calls.length, isOver]).toEqual([2, false]);
    } finally {
      session.destroy();
      consumer.kill();
    }
  });
});
