// kafkajs hangs after broken connections, goes on to ask brokers that have fallen silent, and polls idle connections; it gets no new releases. Needless with
// another client: until then docs/adr/0013-kafka-client.md says how the library is used.
import type { Socket } from 'node:net';
import { internalsOf } from './internals.ts';

/** A request that was sent, as far as it is touched here. */
interface SentRequest {
  readonly entry: { readonly apiKey: number };
  /** Milliseconds since 1970 UTC. */
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

/** The parts of the request queue of a connection that are patched. */
interface RequestQueue {
  readonly enforceRequestTimeout: boolean;
  readonly inflight: ReadonlyMap<number, SentRequest>;
  readonly isConnected: () => boolean;
  requestTimeoutIntervalId: NodeJS.Timeout | undefined;
  /** Ends the connection, and with it all requests. Set by the connection. */
  endConnection?: (reason: Error) => void;
  /** Ends its timers. */
  destroy: (this: RequestQueue) => void;
  /** Starts the timer that looks for requests without an answer. */
  scheduleRequestTimeoutCheck: (this: RequestQueue) => void;
  /** Requests that wait for earlier answers, or because the broker throttles. */
  readonly pending: readonly unknown[];
  /** Starts a timer, unless there is one, that checks `pending` and calls this again. */
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

/** The parts of a connection that are patched. It outlives its socket. */
interface Connection {
  /** The received part of an incomplete answer. */
  chunks: readonly Uint8Array[];
  bytesBuffered: number;
  /** Number of bytes that it needs next: the length of an answer comes first. */
  bytesNeeded: number;
  readonly socket: Socket | null;
  /** Requests without an answer, sent and unsent. */
  readonly requestQueue: RequestQueue;
  isConnected: (this: Connection) => boolean;
  connect: (this: Connection) => Promise<boolean>;
  disconnect: (this: Connection) => Promise<boolean>;
  rejectRequests: (this: Connection, error: Error) => void;
}

/** The membership of one consumer, as far as it is touched here. */
interface ConsumerGroup {
  readonly groupId: string;
  /** The broker that leads the group. */
  coordinator: unknown;
  /** Commits through its own reference to the coordinator. */
  readonly offsetManager: { coordinator: unknown } | null;
  readonly cluster: {
    findGroupCoordinator(group: { readonly groupId: string }): Promise<unknown>;
    refreshMetadata(): Promise<void>;
  };
  /** Maximum time for which the broker may keep the next fetch. */
  maxWaitTime: number;
  paused: (this: ConsumerGroup) => readonly unknown[];
  fetch: (this: ConsumerGroup, nodeId: string) => Promise<readonly unknown[]>;
  heartbeat: (this: ConsumerGroup, options: unknown) => Promise<void>;
}

/** The loop of one consumer, as far as it is touched here. */
interface Runner {
  readonly consumerGroup: ConsumerGroup;
  stop: (this: Runner) => Promise<void>;
}

const load = internalsOf('kafkajs', '2.2.4');
const queues = (load('src/network/requestQueue') as { readonly prototype: RequestQueue }).prototype;
const connections = (load('src/network/connection') as { readonly prototype: Connection }).prototype;
const groups = (load('src/consumer/consumerGroup') as { readonly prototype: ConsumerGroup }).prototype;
const runners = (load('src/consumer/runner') as { readonly prototype: Runner }).prototype;
const { KafkaJSProtocolError } = load('src/errors') as { readonly KafkaJSProtocolError: new () => Error };
const { scheduleCheckPendingRequests } = queues;
const { connect, disconnect } = connections;
const { fetch, heartbeat } = groups;
const { stop } = runners;

/**
 * Stops the timer of connections without waiting requests. kafkajs checks every connection every millisecond, from its first answer on: it computes a
 * negative delay without throttling, of which Node also warns.
 */
queues.scheduleCheckPendingRequests = function (): void {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
};

/** Requests have 10 s and more. */
const LOOK_EVERY_MS = 1_000;

/**
 * Looks once a second for requests that have had no answer in time; kafkajs does ten times a second on every connection. Brokers answer in order, so
 * the connection ends when the oldest request has had none: kafkajs repeats requests on the connection to a broker that has fallen silent, and reads
 * its metadata only after the end of one. A younger request may wait for an older one that has more time, such as to join a group.
 */
queues.scheduleRequestTimeoutCheck = function (): void {
  if (!this.enforceRequestTimeout) return;
  this.destroy();
  // kafkajs notes the time of day, which is of no use once the clock is set.
  const sentAt = new WeakMap<object, number>();
  this.requestTimeoutIntervalId = setInterval(() => {
    const now = performance.now();
    const [oldest] = this.inflight.values();
    for (const request of [...this.inflight.values()]) {
      const since = sentAt.get(request) ?? now - Math.min(Math.max(Date.now() - request.sentAt, 0), LOOK_EVERY_MS);
      sentAt.set(request, since);
      if (now - since <= request.requestTimeout) continue;
      if (request === oldest && this.endConnection) {
        this.endConnection(new Error(`no answer for ${request.requestTimeout} ms`));
        return;
      }
      request.timeoutRequest();
    }
    if (!this.isConnected()) this.destroy();
  }, LOOK_EVERY_MS);
};

const LENGTH_BYTES = 4;

/**
 * Lets the queue of requests end the connection, and clears the buffer for each connection. kafkajs keeps the partial answer of a broken connection,
 * treats the answers of the next connection as its remainder, and reads only garbage from then on: a consumer hangs for ever.
 */
connections.connect = function (): Promise<boolean> {
  this.requestQueue.endConnection ??= (reason) => void this.socket?.destroy(reason);
  if (!this.isConnected()) Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: LENGTH_BYTES });
  return connect.call(this);
};

/** The fetch among Kafka's requests. */
const FETCH = 1;

/** Ends a connection that only fetches wait on: kafkajs waits for their answers, which no consumer reads any more. */
connections.disconnect = function (): Promise<boolean> {
  const { inflight, pending } = this.requestQueue;
  if (pending.length === 0 && [...inflight.values()].every(({ entry }) => entry.apiKey === FETCH))
    this.rejectRequests(new Error('The connection was ended'));
  return disconnect.call(this);
};

/**
 * Looks for the coordinator of the group anew when it does not answer. kafkajs goes on to ask a dead broker: the consumer reads nothing until all
 * retries have failed, in minutes, although another broker coordinates the group after seconds. The member remains the same.
 */
groups.heartbeat = async function (options) {
  try {
    await heartbeat.call(this, options);
  } catch (error) {
    if (!(error instanceof KafkaJSProtocolError)) {
      // Asks living brokers only, and forgets those that Kafka has given up: the search asks any that is known.
      await this.cluster.refreshMetadata();
      this.coordinator = await this.cluster.findGroupCoordinator({ groupId: this.groupId });
      if (this.offsetManager) this.offsetManager.coordinator = this.coordinator;
    }
    throw error;
  }
};

/** While a partition is paused: a fetch under way does not bring it once it is resumed. */
const PAUSED_WAIT_MS = 200;

const longestWaits = new WeakMap<ConsumerGroup, number>();
const underWay = new WeakMap<ConsumerGroup, Set<() => void>>();

/**
 * Lets fetches wait long at the broker where that delays nothing: an idle subscription costs a request per wait. kafkajs waits equally long whether
 * partitions are paused or not, and a consumer that stops waits for the answer of its last fetch.
 */
groups.fetch = async function (nodeId) {
  const longest = longestWaits.get(this) ?? this.maxWaitTime;
  longestWaits.set(this, longest);
  this.maxWaitTime = this.paused().length > 0 ? Math.min(longest, PAUSED_WAIT_MS) : longest;
  const ends = underWay.get(this) ?? new Set();
  underWay.set(this, ends);
  const ended = Promise.withResolvers<readonly unknown[]>();
  const end = (): void => ended.resolve([]);
  ends.add(end);
  try {
    return await Promise.race([fetch.call(this, nodeId), ended.promise]);
  } finally {
    ends.delete(end);
  }
};

runners.stop = function () {
  const stopped = stop.call(this);
  // The loop knows by now that it is to end.
  for (const end of underWay.get(this.consumerGroup) ?? []) end();
  return stopped;
};
