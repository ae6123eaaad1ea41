import { createRequire } from 'node:module';

/** The parts of kafkajs's connection that are patched. It outlives its socket. */
interface Connection {
  /** The received part of an incomplete answer. */
  chunks: readonly Uint8Array[];
  bytesBuffered: number;
  /** Number of bytes that it needs next: the length of an answer comes first. */
  bytesNeeded: number;
  isConnected: (this: Connection) => boolean;
  connect: (this: Connection) => Promise<boolean>;
}

const LENGTH_BYTES = 4;

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/connection') as { prototype: Connection };
const { connect } = prototype;

/**
 * Clears the buffer for each connection. kafkajs 2.2.4 keeps the partial answer of a broken connection, treats the answers of the next connection as
 * its remainder, and reads only garbage from then on: a consumer hangs for ever.
 */
prototype.connect = function (): Promise<boolean> {
  if (!this.isConnected()) Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: LENGTH_BYTES });
  return connect.call(this);
};
