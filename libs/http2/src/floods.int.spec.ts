import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FailedOpening } from './connection-failure.ts';
import { openFrameLink } from './frame-link.ts';
import { Frame, HEADER_BYTES } from './frames.ts';
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

/** Writes to a connection as long as it is open, and reads nothing. */
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
  ])('is cut off after so many %s', async (_name, bytes) => {
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
    expect(await world.ask(connection, REQUEST)).toEqual({ cause: 'lost' });
    expect(await failed.promise).toMatchObject({ cause: 'flooded' });
  });
});

it('a provider that ends a connection again and again is cut off', async () => {
  const world = new Http2World(openFrameLink);
  const lastStream = Buffer.alloc(8);
  lastStream.writeUInt32BE(1);
  const { port } = await world.tcp((socket) => {
    socket.write(settings);
    socket.on('data', (bytes: Buffer) => {
      if (bytes.includes(REQUEST)) socket.write(many(frame(Frame.GoAway, 0, 0, lastStream)));
    });
  });
  expect(await world.ask(world.connect(`http://127.0.0.1:${port}`), REQUEST)).toEqual({ cause: 'lost' });
  await world.close();
});
