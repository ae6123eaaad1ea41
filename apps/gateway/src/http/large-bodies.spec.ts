import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as passed } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import { BODY_LIMIT_BYTES } from '@tidings/contract';
import { LargeBodies } from './large-bodies.ts';
import { type PendingRequest, PendingRequests } from '../limits/pending-requests.ts';

/** Above the usual limit, so that bodies may be compressed. */
const LIMIT = BODY_LIMIT_BYTES + 1;
const LARGE = Buffer.alloc(512 * 1024, ' ');

const arriving = (headers: IncomingMessage['headers'] = {}): PassThrough & IncomingMessage =>
  Object.assign(new PassThrough({ highWaterMark: LIMIT }), { headers }) as unknown as PassThrough & IncomingMessage;

const openBodies = () => {
  const bodies = new LargeBodies(new PendingRequests({ requests: 100, bytes: 1024 * 1024 }), {
    bytes: LIMIT,
    parsedBytes: LIMIT,
  });
  return {
    async take<T>(request: IncomingMessage, work: (bytes: Buffer) => Promise<T>): Promise<T> {
      const pending: PendingRequest = {
        deadline: Infinity,
        bytes: 0,
        isArriving: false,
        late: undefined,
        release: undefined,
      };
      try {
        return await work(await bodies.read(request, { limit: LIMIT, deadlineMs: 10_000, pending }));
      } finally {
        pending.release?.();
      }
    },
  };
};

const length = async (bytes: Buffer): Promise<number> => bytes.length;

it('a large body is retained until the work on it is done, and others wait unread', async () => {
  const bodies = openBodies();
  const [first, second] = [arriving(), arriving()];
  const work = Promise.withResolvers<void>();
  const begun: string[] = [];
  const one = bodies.take(first, async () => {
    begun.push('first');
    await work.promise;
  });
  const other = bodies.take(second, async () => void begun.push('second'));
  first.end(LARGE);
  while (begun.length === 0) await passed();
  second.end(LARGE);
  while (second.readableFlowing !== false) await passed();
  expect(begun).toEqual(['first']);
  work.resolve();
  await Promise.all([one, other]);
  expect(begun).toEqual(['first', 'second']);
});

it('small bodies are admitted at once, whatever their headers declare', async () => {
  const bodies = openBodies();
  const ended = Promise.withResolvers<void>();
  const large = arriving();
  const holding = bodies.take(large, () => ended.promise);
  large.end(LARGE);
  const packed = arriving({ 'content-encoding': 'gzip' });
  const small = [bodies.take(arriving().end('{}'), length), bodies.take(packed.end(gzipSync('{}')), length)];
  expect(await Promise.all(small)).toEqual([2, 2]);
  ended.resolve();
  await holding;
});

it('a caller that disconnects while it waits leaves its place to the others', async () => {
  const bodies = openBodies();
  const ended = Promise.withResolvers<void>();
  const [first, gone, last] = [arriving(), arriving(), arriving()];
  const all = [bodies.take(first, () => ended.promise), bodies.take(gone, length)];
  const served = bodies.take(last, length);
  first.end(LARGE);
  await passed();
  for (const waiting of [gone, last]) {
    waiting.end(LARGE);
    while (waiting.readableFlowing !== false) await passed();
  }
  gone.destroy();
  await expect(all[1]).rejects.toMatchObject({ kind: 'malformed' });
  ended.resolve();
  expect(await served).toBe(LARGE.length);
  await all[0];
});

describe('a slow body', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  it('is refused only when others wait for its place', async () => {
    const bodies = openBodies();
    const [slow, other] = [arriving(), arriving()];
    const refused = expect(bodies.take(slow, length)).rejects.toMatchObject({
      kind: 'throttled',
      retryAfterSeconds: 1,
    });
    slow.write(LARGE);
    while (jest.getTimerCount() === 0) await passed();
    jest.advanceTimersByTime(60_000);
    slow.write('x');
    const served = bodies.take(other, length);
    other.end(LARGE);
    while (other.readableFlowing !== false) await passed();
    jest.advanceTimersByTime(2_000);
    await refused;
    expect(await served).toBe(LARGE.length);
  });
});
