import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';

/** How long a gateway leaves idle connections open while it drains: longer than a pool of undici keeps one, and than a busy pool leaves one unused. */
export const DRAIN_MS = 5_000;

/** The connections of a server, closed so that no request is cut that is on its way. */
export interface Connections {
  /**
   * Takes no further connection, and resolves when all are closed. The handler has to end each reply with `Connection: close`, so that a caller is told
   * by a reply; only connections that stay idle for all of this time are cut.
   */
  drain(idleMs: number): Promise<void>;
}

/** Follows the connections of a server that does not listen yet. */
export function connectionsOf(server: HttpServer): Connections {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    async drain(idleMs) {
      if (!server.listening) return;
      // The method of HTTP would cut idle connections at once, some with a request on its way, and end the time limits of requests.
      const closed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
      const cut = setTimeout(() => {
        server.closeIdleConnections();
        // A connection without its first request is not idle to the server.
        for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
      }, idleMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
