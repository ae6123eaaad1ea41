import { createRequire } from 'node:module';

/** kafkajs' connection to one broker, as far as it is touched here. It lives longer than its socket. */
interface Connection {
  /** What has come in of an answer that is not whole yet. */
  chunks: readonly Uint8Array[];
  bytesBuffered: number;
  /** What it takes until the next look: the length of an answer comes first. */
  bytesNeeded: number;
  /** Requests without an answer, sent and unsent. */
  readonly requestQueue: {
    readonly inflight: ReadonlyMap<number, { readonly entry: { readonly apiKey: number } }>;
    readonly pending: readonly unknown[];
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
 * Begins each connection with an empty buffer. kafkajs 2.2.4 keeps what came last over a connection that ended amid an answer, takes the
 * answers of the next connection for the rest of it, and reads nothing that makes sense from then on: a consumer stands still for ever.
 */
prototype.connect = function (): Promise<boolean> {
  if (!this.isConnected()) Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: LENGTH_BYTES });
  return connect.call(this);
};

/** Ends a connection that only fetches wait on: kafkajs waits for their answers, which nobody reads any more. */
prototype.disconnect = function (): Promise<boolean> {
  const { inflight, pending } = this.requestQueue;
  if (pending.length === 0 && [...inflight.values()].every(({ entry }) => entry.apiKey === FETCH))
    this.rejectRequests(new Error('The connection was ended'));
  return disconnect.call(this);
};
