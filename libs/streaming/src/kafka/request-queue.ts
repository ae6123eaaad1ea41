import { createRequire } from 'node:module';

/** A request that was sent, as far as it is touched here. */
interface SentRequest {
  /** Milliseconds since 1970 UTC. */
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

/** The parts of kafkajs's request queue of a connection that are patched. */
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

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
const { scheduleCheckPendingRequests: schedule } = prototype;

/**
 * Stops the timer of connections without waiting requests. kafkajs 2.2.4 checks every connection every millisecond, from its first answer on: it
 * computes a negative delay without throttling, of which Node also warns.
 */
prototype.scheduleCheckPendingRequests = function (): void {
  if (this.pending.length > 0) schedule.call(this);
};

/** Requests have 10 s and more. */
const LOOK_EVERY_MS = 1_000;

/**
 * Looks once a second for requests that have had no answer in time; kafkajs 2.2.4 does ten times a second on every connection. Brokers answer in order,
 * so the connection ends when the oldest request has had none: kafkajs repeats requests on the connection to a broker that has fallen silent, and reads
 * its metadata only after the end of one. A younger request may wait for an older one that has more time, such as to join a group.
 */
prototype.scheduleRequestTimeoutCheck = function (): void {
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
