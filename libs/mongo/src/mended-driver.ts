import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** The driver's connection, as far as it is touched here. */
interface Connection {
  readonly socket: Socket;
  readonly closed: boolean;
  /** Ends it: what waits for an answer fails with the error. */
  cleanup: (this: Connection, error: Error) => void;
}

const { prototype } = (
  createRequire(import.meta.url)('mongodb/lib/cmap/connection') as { Connection: { prototype: Connection } }
).Connection;
const { cleanup } = prototype;

/**
 * Fails what waits to write, too. The driver (6.16.0) writes to a connection that has closed meanwhile, or waits until one that closes takes
 * more, and hears nothing any more: the operation never ends, and where it was the monitor's the server is never found again.
 */
prototype.cleanup = function (this: Connection, error: Error): void {
  if (this.closed) return;
  cleanup.call(this, error);
  this.socket.write = () => {
    throw error;
  };
  this.socket.emit('error', error);
};
