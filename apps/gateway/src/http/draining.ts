import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';

/** Longer than undici keeps an idle connection. */
export const DRAIN_MS = 5_000;

export interface Connections {
  /** Replies must end with `Connection: close`; only connections idle for all this time are cut. */
  drain(idleMs: number): Promise<void>;
}

export function connectionsOf(server: HttpServer): Connections {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    async drain(idleMs) {
      if (!server.listening) return;
      // HTTP's close() also cuts connections with a request on its way, and ends request timeouts.
      const closed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
      const cut = setTimeout(() => {
        server.closeIdleConnections();
        // The server counts no connection without a request as idle.
        for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
      }, idleMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
