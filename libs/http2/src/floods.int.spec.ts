import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FailedOpening } from './connection-failure.ts';
import { openFrameLink } from './frame-link.ts';
import { Flag, Frame, HEADER_BYTES, Setting, settingsPayload } from './frames.ts';
import { openNodeLink } from './node-link.ts';
import { Http2World } from './testing/http2-world.ts';

const frame = (type: number, flags: number, id: number, payload: Buffer = Buffer.alloc(0)): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(id, 5);
  return Buffer.concat([header, payload]);
};
const settings = frame(Frame.Settings, 0, 0);
const REQUEST = Buffer.from('the body of a request');
const many = (bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: 10_000 }, () => bytes));

function floodWith(bytes: Buffer) {
  return (socket: Socket): void => {
    socket.pause();
    const pump = (): void => {
      while (!socket.destroyed && socket.write(bytes));
    };
    socket.on('drain', pump);
    socket.write(settings);
    pump();
  };
}

describe.each([
  ['frames of our own', openFrameLink],
  ['node:http2', openNodeLink],
])('a provider that sends and does not read, over %s', (_, openLink) => {
  let world: Http2World;
  beforeEach(() => {
    world = new Http2World(openLink);
  });
  afterEach(() => world.close());

  const failureOf = (greet: (socket: Socket) => void): Promise<FailedOpening> =>
    new Promise((resolve, reject) => {
      world.tcp(greet).then(({ port }) => {
        const connection = world.connect(`http://127.0.0.1:${port}`, {}, { onFailure: resolve });
        connection.ready();
      }, reject);
    });

  it.each([
    ['PING', frame(Frame.Ping, 0, 0, Buffer.alloc(8))],
    ['SETTINGS', settings],
  ])('is cut off after a flood of %s', async (_name, bytes) => {
    expect(await failureOf(floodWith(many(bytes)))).toMatchObject({ cause: 'flooded' });
  });

  it('is cut off for a header block without end', async () => {
    const block = [frame(Frame.Headers, 0, 1), many(frame(Frame.Continuation, 0, 1, Buffer.alloc(1)))];
    const failed = Promise.withResolvers<FailedOpening>();
    const { port } = await world.tcp((socket) => {
      socket.write(settings);
      socket.on('data', (bytes: Buffer) => {
        if (bytes.includes(REQUEST)) socket.write(Buffer.concat(block));
      });
    });
    const connection = world.connect(`http://127.0.0.1:${port}`, {}, { onFailure: failed.resolve });
    expect(await world.send(connection, REQUEST)).toEqual({ cause: 'lost' });
    expect(await failed.promise).toMatchObject({ cause: 'flooded' });
  });
});

describe('a provider that does not answer, over frames of our own', () => {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const OK = frame(Frame.Headers, Flag.EndHeaders, 1, Buffer.from([0x88]));
  let world: Http2World;
  beforeEach(() => {
    world = new Http2World(openFrameLink);
  });
  afterEach(() => world.close());

  async function failureAfter(answer: Buffer): Promise<FailedOpening> {
    const failed = Promise.withResolvers<FailedOpening>();
    const { port } = await world.tcp((socket) => {
      socket.write(settings);
      socket.on('data', (bytes: Buffer) => {
        if (bytes.includes(REQUEST)) floodWith(answer)(socket);
      });
    });
    const connection = world.connect(`http://127.0.0.1:${port}`, {}, { onFailure: failed.resolve });
    await world.send(connection, REQUEST);
    return failed.promise;
  }

  it.each([
    ['DATA without a byte', frame(Frame.Data, 0, 1)],
    ['padding', frame(Frame.Data, Flag.Padded, 1, Buffer.alloc(1))],
    ['DATA of unknown streams', frame(Frame.Data, 0, 7, Buffer.alloc(8))],
    ['windows of the connection', frame(Frame.WindowUpdate, 0, 0, number(1))],
    ['resets', frame(Frame.RstStream, 0, 9, number(8))],
    ['frames of an unknown type', frame(99, 0, 0)],
  ])('is cut off after a flood of %s', async (_name, bytes) => {
    expect(await failureAfter(many(bytes))).toMatchObject({ cause: 'flooded' });
  });

  it('is cut off for DATA without a byte after the status', async () => {
    expect(await failureAfter(Buffer.concat([OK, many(frame(Frame.Data, 0, 1))]))).toMatchObject({ cause: 'flooded' });
  });
});

describe.each([
  ['frames of our own', openFrameLink],
  ['node:http2', openNodeLink],
])('initial windows of a provider, over %s', (_, openLink) => {
  let world: Http2World;
  beforeEach(() => {
    world = new Http2World(openLink);
  });
  afterEach(() => world.close());
  const initialWindow = (bytes: number): Buffer =>
    frame(Frame.Settings, 0, 0, settingsPayload([[Setting.InitialWindowSize, bytes]]));

  it('end the connection above the largest', async () => {
    const { port } = await world.tcp((socket) => {
      socket.write(settings);
      socket.on('data', (bytes: Buffer) => {
        if (bytes.includes(REQUEST)) socket.write(initialWindow(2 ** 31));
      });
    });
    expect(await world.send(world.connect(`http://127.0.0.1:${port}`), REQUEST)).toEqual({ cause: 'lost' });
  });

  it('delay a body until its deadline if they are zero, and no other connection', async () => {
    const { port } = await world.tcp((socket) => {
      socket.write(initialWindow(0));
    });
    const stuck = world.connect(`http://127.0.0.1:${port}`);
    const { url } = await world.serve((stream) => stream.respond({ ':status': 200 }, { endStream: true }));
    const request = { path: '/p', shared: [], own: [] };
    const stalled = world.send(stuck, REQUEST, request, 1_500);
    expect(await world.send(world.connect(url))).toMatchObject({ status: 200 });
    expect(await stalled).toEqual({ cause: 'timeout' });
  });

  it('let a waiting body continue when they change', async () => {
    const body = Buffer.alloc(3_000, 'x');
    let received = 0;
    const { port } = await world.tcp((socket) => {
      socket.write(initialWindow(0));
      let isGreeted = false;
      socket.on('data', (bytes: Buffer) => {
        if (!isGreeted) {
          isGreeted = true;
          for (const size of [10, 0, 5, 100_000]) socket.write(initialWindow(size));
        }
        received += bytes.filter((byte) => byte === 0x78).length;
        if (received >= body.length)
          socket.write(frame(Frame.Headers, Flag.EndHeaders | Flag.EndStream, 1, Buffer.from([0x88])));
      });
    });
    expect(await world.send(world.connect(`http://127.0.0.1:${port}`), body)).toMatchObject({ status: 200 });
  });
});

it('a provider that ends a connection repeatedly is cut off', async () => {
  const world = new Http2World(openFrameLink);
  const lastStream = Buffer.alloc(8);
  lastStream.writeUInt32BE(1);
  const { port } = await world.tcp((socket) => {
    socket.write(settings);
    socket.on('data', (bytes: Buffer) => {
      if (bytes.includes(REQUEST)) socket.write(many(frame(Frame.GoAway, 0, 0, lastStream)));
    });
  });
  expect(await world.send(world.connect(`http://127.0.0.1:${port}`), REQUEST)).toEqual({ cause: 'lost' });
  await world.close();
});
