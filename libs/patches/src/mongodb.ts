// The driver writes to closed connections without an event: operations never end. Needless once mongodb.int.spec.ts passes without it.
import type { Socket } from 'node:net';
import { internalsOf } from './internals.ts';

interface Connection {
  readonly socket: Socket;
  readonly closed: boolean;
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
