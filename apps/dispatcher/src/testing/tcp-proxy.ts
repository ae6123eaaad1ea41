import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

const ignore = (): void => undefined;

export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
  }

  static async open(host: string, port: number, forwards = true): Promise<TcpProxy> {
    const sockets = new Set<Socket>();
    const tracked = (socket: Socket): Socket => {
      sockets.add(socket);
      return socket.on('error', ignore).once('close', () => sockets.delete(socket));
    };
    const server = createServer((socket) => {
      tracked(socket);
      if (!forwards) return;
      const onward = tracked(connect(port, '127.0.0.1'));
      socket.pipe(onward).pipe(socket);
      socket.once('close', () => onward.destroy());
      onward.once('close', () => socket.destroy());
    });
    server.listen(port, host);
    await once(server, 'listening');
    return new TcpProxy(server, sockets);
  }

  /** Connections are refused, and open ones fall silent. */
  vanish(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
