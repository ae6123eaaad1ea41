import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** The parts of the driver's connection that are patched. */
interface Connection {
  readonly socket: Socket;
  readonly closed: boolean;
  /** Closes it: operations that wait for an answer fail with the error. */
  cleanup: (this: Connection, error: Error) => void;
}

const { prototype } = (
  createRequire(import.meta.url)('mongodb/lib/cmap/connection') as { Connection: { prototype: Connection } }
).Connection;
const { cleanup } = prototype;

/**
 * Also fails operations that wait to write. The driver (6.16.0) writes to a connection that has closed meanwhile, or waits for a closing one to
 * drain, without an event: the operation never ends, and if it was the monitor's, the server is never found again.
 */
prototype.cleanup = function (this: Connection, error: Error): void {
  if (this.closed) return;
  cleanup.call(this, error);
  this.socket.write = () => {
    throw error;
  };
  this.socket.emit('error', error);
};
