// The driver writes to a connection that has closed meanwhile, or waits for a closing one to drain, without an event: the operation never ends, and if it
// was the monitor's, the server is never found again. Needless once the driver fails such operations: mongodb.int.spec.ts then passes without it.
import type { Socket } from 'node:net';
import { internalsOf } from './internals.ts';

/** The parts of the driver's connection that are patched. */
interface Connection {
  readonly socket: Socket;
  readonly closed: boolean;
  /** Closes it: operations that wait for an answer fail with the error. */
  cleanup: (this: Connection, error: Error) => void;
}

const load = internalsOf('mongodb', '6.16.0');
const { prototype } = (load('lib/cmap/connection') as { Connection: { prototype: Connection } }).Connection;
const { cleanup } = prototype;

/** Also fails operations that wait to write. */
prototype.cleanup = function (this: Connection, error: Error): void {
  if (this.closed) return;
  cleanup.call(this, error);
  this.socket.write = () => {
    throw error;
  };
  this.socket.emit('error', error);
};
