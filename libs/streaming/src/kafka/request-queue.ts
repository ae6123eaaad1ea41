import { createRequire } from 'node:module';

/** kafkajs' queue of the requests of one connection, as far as it is touched here. */
interface RequestQueue {
  /** Requests that wait for earlier answers, or because the broker throttles. */
  readonly pending: readonly unknown[];
  /** Starts a timer, unless there is one, that looks at `pending` and calls this again. */
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
const { scheduleCheckPendingRequests: schedule } = prototype;

/**
 * Lets connections rest on which no request waits. kafkajs 2.2.4 looks for such requests every millisecond on every connection, from its
 * first answer on and for ever: the delay that it reckons is negative when nothing throttles, of which Node warns besides.
 */
prototype.scheduleCheckPendingRequests = function (): void {
  if (this.pending.length > 0) schedule.call(this);
};
