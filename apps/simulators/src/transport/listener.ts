import { once } from 'node:events';
import type { Server as Http1Server } from 'node:http';
import type { Http2Server } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { freePort } from '@tidings/runtime';

export interface TlsFiles {
  readonly key: string;
  readonly cert: string;
}

export interface ListenerOptions {
  readonly host: string;
  /** 0 = a free one, which is kept. */
  readonly port: number;
  readonly tls?: TlsFiles | undefined;
  readonly http2?: Http2Server | undefined;
  readonly accept?: ((socket: Socket) => void) | undefined;
  /** Undefined = clients that do not start with HTTP/2 are rejected. */
  readonly http1?: Http1Server | undefined;
}

/** node:http2 reads from it directly: pausing the socket has no effect. */
interface Handle {
  readStop(): void;
  readStart(): void;
}

const handleOf = (socket: Socket): Handle | undefined => (socket as unknown as { _handle?: Handle })._handle;

const ignore = (): void => undefined;

/** Returns on the same port, and can stop reading with its connections open. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  /** Accepted in a black hole, still unread. */
  readonly #held = new Set<Socket>();
  #port: number;
  #silent = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#port = options.port;
    const route = options.tls === undefined ? this.#routePlain : this.#tlsRoute(options.tls);
    this.#server = createServer({ noDelay: true }, (socket) => {
      socket.on('error', ignore);
      socket.once('close', () => {
        this.#open.delete(socket);
        this.#held.delete(socket);
      });
      this.#open.add(socket);
      if (this.#silent) this.#held.add(socket);
      else route(socket);
    });
    this.#route = route;
  }

  readonly #route: (socket: Socket) => void;

  get port(): number {
    return this.#port;
  }

  async up(): Promise<void> {
    if (this.#server.listening) return;
    // An outgoing connection could take any other port while the provider is down.
    this.#port ||= await freePort(this.#options.host);
    this.#server.listen(this.#port, this.#options.host);
    await once(this.#server, 'listening');
  }

  async down(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#open) socket.resetAndDestroy();
    await closed;
  }

  /** Nothing is read from any connection, old or new. */
  setSilent(silent: boolean): void {
    if (silent === this.#silent) return;
    this.#silent = silent;
    for (const socket of this.#open) {
      if (silent) handleOf(socket)?.readStop();
      else handleOf(socket)?.readStart();
    }
    if (silent) return;
    for (const socket of this.#held) this.#route(socket);
    this.#held.clear();
  }

  disconnect(remotePort: number | undefined): void {
    for (const socket of this.#open) if (socket.remotePort === remotePort) socket.resetAndDestroy();
  }

  hangUp(remotePort: number | undefined): void {
    for (const socket of this.#open) if (socket.remotePort === remotePort) socket.destroy();
  }

  readonly #routePlain = (socket: Socket): void => {
    const { http1, http2, accept } = this.#options;
    if (accept) {
      accept(socket);
      return;
    }
    if (http1 === undefined) {
      http2?.emit('connection', socket);
      return;
    }
    socket.once('data', (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      // HTTP/2 begins with "PRI * HTTP/2.0"; no method of HTTP/1.1 begins so.
      const target = first.toString('latin1', 0, 3) === 'PRI' ? http2 : http1;
      target?.emit('connection', socket);
      if (target === http1) socket.resume();
    });
  };

  #tlsRoute({ key, cert }: TlsFiles): (socket: Socket) => void {
    const { http1, http2 } = this.#options;
    const ALPNProtocols = http1 === undefined ? ['h2'] : ['h2', 'http/1.1'];
    const server = createTlsServer({ key, cert, ALPNProtocols }, (socket: TLSSocket) => {
      socket.on('error', ignore);
      const target = socket.alpnProtocol === 'h2' || http1 === undefined ? http2 : http1;
      target?.emit('connection', socket);
    });
    server.on('tlsClientError', ignore);
    return (socket) => server.emit('connection', socket);
  }
}
