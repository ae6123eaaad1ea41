import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import './kafkajs.ts';

const load = createRequire(import.meta.url);

interface Queue {
  push(request: object): void;
  scheduleRequestTimeoutCheck(): void;
  endConnection?: (reason: Error) => void;
}

const RequestQueue = load('kafkajs/src/network/requestQueue') as new (options: object) => Queue;
const TIMEOUT_MS = 10_000;

describe('the queue of requests of a connection to Kafka', () => {
  let isConnected: boolean;
  let looks: number;
  let queue: Queue;

  beforeEach(() => {
    jest.useFakeTimers();
    [isConnected, looks] = [true, 0];
    queue = new RequestQueue({
      clientId: 'spec',
      broker: 'spec',
      requestTimeout: TIMEOUT_MS,
      enforceRequestTimeout: true,
      logger: { debug: () => undefined },
      isConnected: () => {
        looks++;
        return isConnected;
      },
    });
    queue.scheduleRequestTimeoutCheck();
  });
  afterEach(() => void jest.useRealTimers());

  const send = (correlationId = 1, requestTimeout = TIMEOUT_MS): jest.Mock => {
    const reject = jest.fn();
    const entry = { apiName: 'Heartbeat', apiKey: 12, apiVersion: 0, correlationId, resolve: jest.fn(), reject };
    queue.push({ entry, expectResponse: true, requestTimeout, sendRequest: jest.fn() });
    return reject;
  };

  it('ends a request without an answer within a second of its time', () => {
    const rejected = send();
    jest.advanceTimersByTime(TIMEOUT_MS);
    expect(rejected).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect(rejected).toHaveBeenCalledWith(expect.objectContaining({ name: 'KafkaJSRequestTimeoutError' }));
  });

  it('ends the connection when the oldest request has had no answer in time', () => {
    queue.endConnection = jest.fn();
    const rejected = send();
    jest.advanceTimersByTime(TIMEOUT_MS + 1_000);
    expect(queue.endConnection).toHaveBeenCalledWith(new Error('no answer for 10000 ms'));
    // The end of the connection rejects them.
    expect(rejected).not.toHaveBeenCalled();
  });

  it('ends only the younger of two requests while the older one has time', () => {
    queue.endConnection = jest.fn();
    const [joining, waiting] = [send(1, 2 * TIMEOUT_MS), send(2)];
    jest.advanceTimersByTime(TIMEOUT_MS + 1_000);
    expect(waiting).toHaveBeenCalledWith(expect.objectContaining({ name: 'KafkaJSRequestTimeoutError' }));
    expect(joining).not.toHaveBeenCalled();
    expect(queue.endConnection).not.toHaveBeenCalled();
  });

  it('is checked once a second, and no more when the connection has ended', () => {
    jest.advanceTimersByTime(5_000);
    expect(looks).toBe(5);
    isConnected = false;
    jest.advanceTimersByTime(5_000);
    expect(looks).toBe(6);
    expect(jest.getTimerCount()).toBe(0);
  });
});

interface IdleQueue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
}

const { prototype } = load('kafkajs/src/network/requestQueue') as {
  prototype: { scheduleCheckPendingRequests: (this: IdleQueue) => void };
};

function delaysOf(queue: IdleQueue): unknown[] {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  prototype.scheduleCheckPendingRequests.call(queue);
  return timers.mock.calls.map(([, delay]) => delay);
}

describe('the timers of a queue of requests', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('do not start while no request waits, since the delay would be negative', () => {
    expect(delaysOf({ pending: [], throttledUntil: -1 })).toEqual([]);
  });

  it('check waiting requests again, now and when the broker no longer throttles', () => {
    const [soon] = delaysOf({ pending: [{}], throttledUntil: -1 });
    expect(soon).toBeGreaterThan(0);
    jest.restoreAllMocks();
    expect(delaysOf({ pending: [{}], throttledUntil: Date.now() + 700 })).toEqual([700]);
  });
});
