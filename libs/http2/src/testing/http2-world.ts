import {
  createServer,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Http2Connection } from '../http2-connection.ts';
import type { AnswerHeaders, ConnectionSettings, FailureCause, OpenLink } from '../http2-port.ts';

export type End = { status: number; headers: AnswerHeaders; body: string } | { cause: FailureCause };

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const anything = { path: '/p', shared: ['a', 'b'], own: ['c', 'd'] };

export class Http2World {
  readonly #openLink: OpenLink;
  readonly #closers: (() => unknown)[] = [];

  constructor(openLink: OpenLink) {
    this.#openLink = openLink;
  }

  onClose(close: () => unknown): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  async listen(server: Http2Server | Server): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  async serve(
    answer: (stream: ServerHttp2Stream, received: Received) => void,
    options: ServerOptions = {},
  ): Promise<{ url: string; received: Received[]; sessions: Http2Session[] }> {
    const received: Received[] = [];
    const sessions: Http2Session[] = [];
    const server = createServer(options);
    server.on('session', (session) => sessions.push(session));
    server.on('stream', (stream, headers) => {
      const parts: Buffer[] = [];
      stream.on('error', () => undefined);
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const one = { headers, body: Buffer.concat(parts) };
        received.push(one);
        answer(stream, one);
      });
    });
    const url = `http://127.0.0.1:${await this.listen(server)}`;
    this.onClose(() => {
      for (const session of sessions) session.destroy();
      server.close();
    });
    return { url, received, sessions };
  }

  async tcp(greet: (socket: Socket) => unknown): Promise<{ port: number; sockets: Socket[] }> {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      greet(socket);
    });
    const port = await this.listen(server);
    this.onClose(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { port, sockets };
  }

  async proxy(url: string): Promise<Proxy> {
    const proxy = new Proxy(Number(new URL(url).port));
    const { port } = await this.tcp((socket) => proxy.accept(socket));
    this.onClose(() => proxy.close());
    return Object.assign(proxy, { url: `http://127.0.0.1:${port}` });
  }

  connect(url: string, tls = {}, settings: Partial<ConnectionSettings> = {}): Http2Connection {
    const connection = new Http2Connection({ url, tls, ...settings }, this.#openLink);
    this.onClose(() => connection.close());
    return connection;
  }

  async send(
    connection: Http2Connection,
    body: Uint8Array = Buffer.from('{}'),
    request = anything,
    timeoutMs = 10_000,
    mayFlush = () => true,
  ): Promise<End> {
    const ended = Promise.withResolvers<End>();
    const exchange = {
      deadline: performance.now() + timeoutMs,
      mayFlush,
      answered: (status: number, headers: AnswerHeaders, text: string) =>
        ended.resolve({ status, headers, body: text }),
      failed: (cause: FailureCause) => ended.resolve({ cause }),
    };
    while (!connection.request(request, body, exchange)) {
      if (connection.downUntil() > performance.now()) await delay(5);
      else await new Promise<void>((resolve) => connection.whenReady(resolve));
    }
    return ended.promise;
  }
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  cut: boolean;
}

export class Proxy {
  readonly url: string = '';
  readonly #port: number;
  readonly #pairs: Pair[] = [];
  #stalled = false;

  constructor(port: number) {
    this.#port = port;
  }

  get connections(): number {
    return this.#pairs.length;
  }

  accept(client: Socket): void {
    const server = connect(this.#port, '127.0.0.1');
    server.on('error', () => undefined);
    const pair = { client, server, cut: false };
    this.#pairs.push(pair);
    client.pipe(server);
    server.pipe(client);
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
    if (this.#stalled) this.#pause(pair);
  }

  stall(): void {
    this.#stalled = true;
    for (const pair of this.#pairs) this.#pause(pair);
  }

  resume(): void {
    this.#stalled = false;
    for (const { client, server, cut } of this.#pairs) {
      if (cut) continue;
      client.pipe(server);
      server.pipe(client);
    }
  }

  /** New connections still work. */
  cut(): void {
    for (const pair of this.#pairs) {
      pair.cut = true;
      this.#pause(pair);
    }
  }

  close(): void {
    for (const { server } of this.#pairs) server.destroy();
  }

  #pause({ client, server }: Pair): void {
    client.unpipe(server).pause();
    server.unpipe(client).pause();
  }
}
