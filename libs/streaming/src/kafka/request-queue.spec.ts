import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import './request-queue.ts';

interface Queue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
  prototype: { scheduleCheckPendingRequests: (this: Queue) => void };
};

/** The delays of the timers that a queue starts. */
function delaysOf(queue: Queue): unknown[] {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  prototype.scheduleCheckPendingRequests.call(queue);
  return timers.mock.calls.map(([, delay]) => delay);
}

describe('the queue of requests of a connection', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('starts no timer while no request waits: its delay would be negative', () => {
    expect(delaysOf({ pending: [], throttledUntil: -1 })).toEqual([]);
  });

  it('looks again for requests that wait, now and when the broker no longer throttles', () => {
    const [soon] = delaysOf({ pending: [{}], throttledUntil: -1 });
    expect(soon).toBeGreaterThan(0);
    jest.restoreAllMocks();
    expect(delaysOf({ pending: [{}], throttledUntil: Date.now() + 700 })).toEqual([700]);
  });
});
