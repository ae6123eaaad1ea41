import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** The parts of kafkajs's connection that are patched. It outlives its socket. */
interface Connection {
  /** The received part of an incomplete answer. */
  chunks: readonly Uint8Array[];
  bytesBuffered: number;
  /** Number of bytes that it needs next: the length of an answer comes first. */
  bytesNeeded: number;
  readonly socket: Socket | null;
  /** Requests without an answer, sent and unsent. */
  readonly requestQueue: {
    readonly inflight: ReadonlyMap<number, { readonly entry: { readonly apiKey: number } }>;
    readonly pending: readonly unknown[];
    endConnection?: (reason: Error) => void;
  };
  isConnected: (this: Connection) => boolean;
  connect: (this: Connection) => Promise<boolean>;
  disconnect: (this: Connection) => Promise<boolean>;
  rejectRequests: (this: Connection, error: Error) => void;
}

const LENGTH_BYTES = 4;
/** The fetch among Kafka's requests. */
const FETCH = 1;

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/connection') as { prototype: Connection };
const { connect, disconnect } = prototype;

/**
 * Lets the queue of requests end the connection, and clears the buffer for each connection. kafkajs 2.2.4 keeps the partial answer of a broken connection, treats the answers of the next connection as
 * its remainder, and reads only garbage from then on: a consumer hangs for ever.
 */
prototype.connect = function (): Promise<boolean> {
  this.requestQueue.endConnection ??= (reason) => void this.socket?.destroy(reason);
  if (!this.isConnected()) Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: LENGTH_BYTES });
  return connect.call(this);
};

/** Ends a connection that only fetches wait on: kafkajs waits for their answers, which no consumer reads any more. */
prototype.disconnect = function (): Promise<boolean> {
  const { inflight, pending } = this.requestQueue;
  if (pending.length === 0 && [...inflight.values()].every(({ entry }) => entry.apiKey === FETCH))
    this.rejectRequests(new Error('The connection was ended'));
  return disconnect.call(this);
};
