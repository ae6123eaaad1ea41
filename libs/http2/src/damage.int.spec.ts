import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Http2Connection } from './http2-connection.ts';
import { openFrameLink } from './frame-link.ts';
import { FrameInput } from './frame-input.ts';
import { Frame, HEADER_BYTES } from './frames.ts';
import { openNodeLink } from './node-link.ts';
import { Http2World } from './testing/http2-world.ts';

const RUNS = 150;
const REQUESTS = 5;
const PREFACE_BYTES = 24;
const TIMEOUT_MS = 20_000;
const request = { path: '/p', shared: ['a', 'b'], own: ['c', 'd'] };

const header = (length: number, type: number, flags: number, id: number): Buffer => {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUIntBE(length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(id, 5);
  return bytes;
};
const settings = header(0, Frame.Settings, 0, 0);

const frame = fc
  .record({
    type: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...Object.values(Frame)) },
      fc.integer({ min: 0, max: 255 }),
    ),
    flags: fc.oneof(fc.constantFrom(0, 1, 4, 5, 8, 12, 32, 45), fc.integer({ min: 0, max: 255 })),
    id: fc.oneof(fc.constantFrom(0, 1, 3, 5, 7, 2), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
    payload: fc.oneof(fc.constantFrom(Buffer.from([0x88]), Buffer.from([0x8d])), fc.uint8Array({ maxLength: 40 })),
    lie: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: -3, max: 70_000 })),
  })
  .map(({ type, flags, id, payload, lie }) =>
    Buffer.concat([header(Math.max(0, payload.length + lie), type, flags, id), payload]),
  );
const damaged = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(frame, { minLength: 1, maxLength: 12 }).map((frames) => Buffer.concat([settings, ...frames])),
  },
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([settings, bytes])),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

const hasSettings = (greeting: Buffer): boolean => greeting.subarray(0, HEADER_BYTES).equals(settings);

const ignore = (): void => undefined;

const onRequest = (socket: Socket, run: () => void): void => {
  const input = new FrameInput({
    onFrame: ignore,
    onHeaders: run,
    onBody: ignore,
    onReset: ignore,
    onSettings: ignore,
    onPing: ignore,
    onGoAway: ignore,
    onWindow: ignore,
  });
  let prefaceBytes = PREFACE_BYTES;
  socket.on('data', (chunk: Buffer) => {
    const frames = chunk.subarray(prefaceBytes);
    prefaceBytes -= chunk.length - frames.length;
    input.take(frames);
  });
};

describe.each([
  ['frames of our own', openFrameLink],
  ['node:http2', openNodeLink],
])('damaged frames on HTTP/2 by %s', (_, openLink) => {
  let world: Http2World;
  beforeEach(() => {
    world = new Http2World(openLink);
  });
  afterEach(() => world.close());

  async function outcomeCounts(connection: Http2Connection, isGone: () => boolean): Promise<number[]> {
    const counts: number[] = [];
    const giveUpAt = performance.now() + TIMEOUT_MS;
    while (counts.length < REQUESTS && !isGone() && performance.now() < giveUpAt) {
      const i = counts.length;
      const count = (): void => void counts[i]!++;
      counts.push(0);
      const exchange = {
        deadline: performance.now() + TIMEOUT_MS,
        mayFlush: () => true,
        answered: count,
        failed: count,
      };
      if (connection.request(request, Buffer.from('{}'), exchange)) continue;
      counts.pop();
      await delay(1);
    }
    while (counts.includes(0) && performance.now() < giveUpAt) await delay(1);
    return counts;
  }

  it('end each request once, and harm no later connection', async () => {
    let greeting = Buffer.alloc(0);
    let split = 0;
    let isEarly = false;
    let requestCount = 0;
    const { port, sockets } = await world.tcp((socket) => {
      const [first, rest] = [greeting.subarray(0, split), greeting.subarray(split)];
      socket.write(first);
      if (isEarly) socket.once('data', () => (hasSettings(greeting) ? socket.write(rest) : socket.end(rest)));
      onRequest(socket, () => (isEarly ? socket.destroy() : socket.end(rest)));
    });
    await fc.assert(
      fc.asyncProperty(damaged, fc.nat(60), fc.boolean(), async (bytes, at, early) => {
        greeting = bytes;
        isEarly = early || !hasSettings(bytes);
        split = Math.min(isEarly ? at : Math.max(at, HEADER_BYTES), bytes.length);
        const before = sockets.length;
        const connection = world.connect(`http://127.0.0.1:${port}`);
        const isGone = (): boolean => sockets.length > before && sockets.at(-1)!.destroyed;
        try {
          const counts = await outcomeCounts(connection, isGone);
          // No outcome is reported late.
          await delay(5);
          expect(counts).toEqual(counts.map(() => 1));
          requestCount += counts.length;
        } finally {
          connection.close();
        }
      }),
      { numRuns: RUNS },
    );
    expect(requestCount).toBeGreaterThan(RUNS / 3);
    const { url } = await world.serve((stream) => stream.respond({ ':status': 200 }, { endStream: true }));
    expect(await world.send(world.connect(url))).toMatchObject({ status: 200 });
  });
});
