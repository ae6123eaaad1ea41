// kafkajs hangs after broken connections, and gets no new releases (ADR 13).
import type { Socket } from 'node:net';
import { internalsOf } from './internals.ts';

interface SentRequest {
  readonly entry: { readonly apiKey: number };
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

interface RequestQueue {
  readonly enforceRequestTimeout: boolean;
  readonly inflight: ReadonlyMap<number, SentRequest>;
  readonly isConnected: () => boolean;
  requestTimeoutIntervalId: NodeJS.Timeout | undefined;
  endConnection?: (reason: Error) => void;
  destroy: (this: RequestQueue) => void;
  scheduleRequestTimeoutCheck: (this: RequestQueue) => void;
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

interface Connection {
  chunks: readonly Uint8Array[];
  bytesBuffered: number;
  bytesNeeded: number;
  readonly socket: Socket | null;
  readonly requestQueue: RequestQueue;
  isConnected: (this: Connection) => boolean;
  connect: (this: Connection) => Promise<boolean>;
  disconnect: (this: Connection) => Promise<boolean>;
  rejectRequests: (this: Connection, error: Error) => void;
}

interface ConsumerGroup {
  readonly groupId: string;
  coordinator: unknown;
  readonly offsetManager: { coordinator: unknown } | null;
  readonly cluster: {
    findGroupCoordinator(group: { readonly groupId: string }): Promise<unknown>;
    refreshMetadata(): Promise<void>;
  };
  maxWaitTime: number;
  paused: (this: ConsumerGroup) => readonly unknown[];
  fetch: (this: ConsumerGroup, nodeId: string) => Promise<readonly unknown[]>;
  heartbeat: (this: ConsumerGroup, options: unknown) => Promise<void>;
}

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

/** kafkajs checks every connection every millisecond: without throttling it computes a negative delay. */
queues.scheduleCheckPendingRequests = function (): void {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
};

/** Requests have 10 s and more. */
const CHECK_INTERVAL_MS = 1_000;

/** kafkajs repeats requests on a silent broker's connection: a late oldest request ends it. */
queues.scheduleRequestTimeoutCheck = function (): void {
  if (!this.enforceRequestTimeout) return;
  this.destroy();
  // kafkajs notes the time of day, and clocks are set.
  const sentAt = new WeakMap<object, number>();
  this.requestTimeoutIntervalId = setInterval(() => {
    const now = performance.now();
    const [oldest] = this.inflight.values();
    for (const request of [...this.inflight.values()]) {
      const since = sentAt.get(request) ?? now - Math.min(Math.max(Date.now() - request.sentAt, 0), CHECK_INTERVAL_MS);
      sentAt.set(request, since);
      if (now - since <= request.requestTimeout) continue;
      if (request === oldest && this.endConnection) {
        this.endConnection(new Error(`no answer for ${request.requestTimeout} ms`));
        return;
      }
      request.timeoutRequest();
    }
    if (!this.isConnected()) this.destroy();
  }, CHECK_INTERVAL_MS);
};

const LENGTH_BYTES = 4;

/** kafkajs keeps a broken connection's partial answer, reads garbage after it, and hangs. */
connections.connect = function (): Promise<boolean> {
  this.requestQueue.endConnection ??= (reason) => void this.socket?.destroy(reason);
  if (!this.isConnected()) Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: LENGTH_BYTES });
  return connect.call(this);
};

const FETCH = 1;

/** Ends a connection that only fetches wait on, whose answers no consumer reads. */
connections.disconnect = function (): Promise<boolean> {
  const { inflight, pending } = this.requestQueue;
  if (pending.length === 0 && [...inflight.values()].every(({ entry }) => entry.apiKey === FETCH))
    this.rejectRequests(new Error('The connection was ended'));
  return disconnect.call(this);
};

/** kafkajs keeps asking a dead coordinator for minutes, although another one has taken over. */
groups.heartbeat = async function (options) {
  try {
    await heartbeat.call(this, options);
  } catch (error) {
    if (!(error instanceof KafkaJSProtocolError)) {
      // Forgets brokers that Kafka has given up: the search asks any known one.
      await this.cluster.refreshMetadata();
      this.coordinator = await this.cluster.findGroupCoordinator({ groupId: this.groupId });
      if (this.offsetManager) this.offsetManager.coordinator = this.coordinator;
    }
    throw error;
  }
};

/** A fetch under way does not bring a partition that is resumed meanwhile. */
const PAUSED_WAIT_MS = 200;

const longestWaits = new WeakMap<ConsumerGroup, number>();
const underWay = new WeakMap<ConsumerGroup, Set<() => void>>();

/** Waits long where that delays nothing: kafkajs waits equally long with paused partitions, and on stopping. */
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
  for (const end of underWay.get(this.consumerGroup) ?? []) end();
  return stopped;
};
