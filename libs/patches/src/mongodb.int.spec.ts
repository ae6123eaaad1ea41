import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import './mongodb.ts';

interface Connection {
  command(namespace: unknown, command: object, options: object): Promise<unknown>;
  destroy(): void;
}

const require = createRequire(import.meta.url);
const { Connection } = require('mongodb/lib/cmap/connection') as {
  Connection: new (socket: Socket, options: object) => Connection;
};
const { HostAddress, ns } = require('mongodb/lib/utils') as {
  HostAddress: new (address: string) => unknown;
  ns: (name: string) => unknown;
};

/** More than an unread socket takes. */
const LARGE = Buffer.alloc(15 << 20);

describe('a connection of the driver', () => {
  let server: Server;
  let far: Socket;
  let near: Socket;
  let connection: Connection;

  beforeEach(async () => {
    server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    near = connect(port, '127.0.0.1');
    [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [[Socket], unknown];
    connection = new Connection(near, { id: 1, generation: 0, hostAddress: new HostAddress(`127.0.0.1:${port}`) });
  });
  afterEach(() => {
    near.destroy();
    far.destroy();
    server.close();
  });

  const ping = (pad?: Buffer): Promise<unknown> => connection.command(ns('admin.$cmd'), { ping: 1, pad }, {});

  it('fails a command that it closes before writing', async () => {
    const answer = ping();
    connection.destroy();
    await expect(answer).rejects.toThrow('closed');
  });

  it('fails a command if it is lost during the write', async () => {
    const answer = ping(LARGE);
    answer.catch(() => undefined);
    while (near.writableLength === 0) await new Promise(setImmediate);
    far.destroy();
    await expect(answer).rejects.toThrow();
    const another = ping(LARGE);
    await expect(another).rejects.toThrow();
  });

  it('fails a command if it ends in order during the write', async () => {
    const answer = ping(LARGE);
    answer.catch(() => undefined);
    while (near.writableLength === 0) await new Promise(setImmediate);
    connection.destroy();
    await expect(answer).rejects.toThrow('closed');
  });
});
