import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { isFlood } from '@tidings/http2';
import { AddressGuard } from '@tidings/runtime';
import type { LinkDeps } from '../link-port.ts';
import { openGrpcLink } from './grpc.ts';

const [SETTINGS, PING] = [4, 6];
const frame = (type: number, payload = Buffer.alloc(0)): Buffer =>
  Buffer.concat([Buffer.from([0, 0, payload.length, type, 0, 0, 0, 0, 0]), payload]);
const many = (bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: 10_000 }, () => bytes));
const FLOOD = many(frame(PING, Buffer.alloc(8)));

function flood(socket: Socket): void {
  socket.pause();
  const pump = (): void => {
    while (!socket.destroyed && socket.write(FLOOD));
  };
  socket.on('drain', pump);
  pump();
}

async function endOf(treat: (socket: Socket) => void): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    treat(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      const listener = { acked: resolve, failed: resolve, drained: () => undefined, broken: resolve };
      openGrpcLink(
        {
          endpoint: { kind: 'grpc', host: '127.0.0.1', port, tls: false, method: '/S/M' },
          subscription: 's',
          listener,
          signal: new AbortController().signal,
        },
        { guard: new AddressGuard(['127.0.0.0/8']) } as unknown as LinkDeps,
      ).catch(resolve);
    });
  } finally {
    server.close();
  }
}

describe('a subscriber that sends and does not read', () => {
  it('ends its stream as a flood from the first frame on', async () => {
    const end = await endOf((socket) => {
      socket.write(frame(SETTINGS));
      flood(socket);
    });
    expect([isFlood(end), end]).toEqual([true, expect.any(Error)]);
  });

  it('ends its stream as a flood after the call', async () => {
    const end = await endOf((socket) => {
      socket.write(frame(SETTINGS));
      socket.on('data', (bytes: Buffer) => {
        if (bytes.includes('/S/M')) flood(socket);
      });
    });
    expect([isFlood(end), end]).toEqual([true, expect.any(Error)]);
  });
});
