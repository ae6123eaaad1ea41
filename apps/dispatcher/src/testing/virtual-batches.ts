import type { SendBatch } from '@tidings/events';
import { content, ios, sendBatch } from './test-batches.ts';
import type { VirtualLane } from './virtual-lane.ts';

interface Sent {
  readonly application?: string;
  readonly devices?: number;
  readonly message?: string;
  readonly version?: number;
  readonly ttlSeconds?: number;
  readonly atMostOnce?: boolean;
}

export function batch(now: number, { application = 'A', devices = 1, message = 'm', ...more }: Sent = {}): SendBatch {
  const { version = 1, ttlSeconds, atMostOnce = false } = more;
  const all = Array.from({ length: devices }, (_, position) => ({ position, token: `${message}-${position};` }));
  const slices = Array.from({ length: Math.ceil(devices / 500) }, (_, number) => ({
    number,
    devices: all.slice(number * 500, number * 500 + 500),
  }));
  return sendBatch(slices, {
    application,
    message,
    atMostOnce,
    releasedAt: new Date(now),
    credential: { application, platform: 1, version },
    content: content(ttlSeconds === undefined ? {} : { ios: ios({ ttlSeconds }) }),
  });
}

/** An unhandled batch is delivered again, and blocks the following ones. */
export function consume(lane: VirtualLane, batches: readonly SendBatch[], atOnce = 1000): void {
  const next = (from: number): void => {
    if (from >= batches.length) return;
    void lane.dispatch.handle(batches.slice(from, from + atOnce)).then((done) => {
      lane.time.at(done === 0 ? 100 : 1, () => next(from + done));
    });
  };
  next(0);
}

export const failures = (lane: VirtualLane): string[] =>
  [...lane.attempts.byId.values()].flatMap(({ attempt }) => attempt.results.failed.map(({ name }) => name));

export const releasedAt = 1_800_000_000_000;
