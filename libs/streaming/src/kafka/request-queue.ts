import { createRequire } from 'node:module';

/** The parts of kafkajs's request queue of a connection that are patched. */
interface RequestQueue {
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
