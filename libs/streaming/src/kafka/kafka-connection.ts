import { createRequire } from 'node:module';

/** kafkajs' connection to one broker, as far as it is touched here. It lives longer than its socket. */
interface Connection {
  /** What has come in of an answer that is not whole yet. */
  chunks: readonly Uint8Array[];
  bytesBuffered: number;
  /** What it takes until the next look: the length of an answer comes first. */
  bytesNeeded: number;
  isConnected: (this: Connection) => boolean;
  connect: (this: Connection) => Promise<boolean>;
}

const LENGTH_BYTES = 4;

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/connection') as { prototype: Connection };
const { connect } = prototype;

/**
 * Begins each connection with an empty buffer. kafkajs 2.2.4 keeps what came last over a connection that ended amid an answer, takes the
 * answers of the next connection for the rest of it, and reads nothing that makes sense from then on: a consumer stands still for ever.
 */
prototype.connect = function (): Promise<boolean> {
  if (!this.isConnected()) Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: LENGTH_BYTES });
  return connect.call(this);
};
