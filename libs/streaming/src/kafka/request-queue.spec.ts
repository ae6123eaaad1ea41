import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import './request-queue.ts';

interface Queue {
  push(request: object): void;
  scheduleRequestTimeoutCheck(): void;
}

const load = createRequire(import.meta.url);
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
      ...{ clientId: 'spec', broker: 'spec', requestTimeout: TIMEOUT_MS, enforceRequestTimeout: true },
      logger: { debug: () => undefined },
      isConnected: () => {
        looks++;
        return isConnected;
      },
    });
    queue.scheduleRequestTimeoutCheck();
  });
  afterEach(() => void jest.useRealTimers());

  const send = (): jest.Mock => {
    const reject = jest.fn();
    const entry = { apiName: 'Heartbeat', apiKey: 12, apiVersion: 0, correlationId: 1, resolve: jest.fn(), reject };
    queue.push({ entry, expectResponse: true, sendRequest: jest.fn() });
    return reject;
  };

  it('gives up a request without an answer within a second of its time', () => {
    const rejected = send();
    jest.advanceTimersByTime(TIMEOUT_MS);
    expect(rejected).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect(rejected).toHaveBeenCalledWith(expect.objectContaining({ name: 'KafkaJSRequestTimeoutError' }));
  });

  it('is looked at once a second, and no more when the connection has ended', () => {
    jest.advanceTimersByTime(5_000);
    expect(looks).toBe(5);
    isConnected = false;
    jest.advanceTimersByTime(5_000);
    expect(looks).toBe(6);
    expect(jest.getTimerCount()).toBe(0);
  });
});
