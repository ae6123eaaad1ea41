import type { ServerHttp2Stream } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Http2Connection } from './http2-connection.ts';
import { openFrameLink } from './frame-link.ts';
import { openNodeLink } from './node-link.ts';
import { type End, Http2World } from './testing/http2-world.ts';

/** A tenth of the real limits, but for a busy machine's needs. */
const timing = { connectMs: 500, silenceMs: 100, pingMs: 200, graceMs: 1_500, watchMs: 25 };
/** Three times what makes a link suspect, and longer than an attempt to open another. */
const STALL_MS = 1_000;
const TIMEOUT_MS = 30_000;

describe.each([
  ['frames of our own', openFrameLink],
  ['node:http2', openNodeLink],
])('silence on HTTP/2 by %s', (_, openLink) => {
  let world: Http2World;
  beforeEach(() => {
    world = new Http2World(openLink);
  });
  afterEach(() => world.close());

  const answer = (stream: ServerHttp2Stream): void => {
    if (!stream.destroyed) stream.respond({ ':status': 200 }, { endStream: true });
  };

  async function begin() {
    const { url, received } = await world.serve(answer);
    const proxy = await world.proxy(url);
    const connection = world.connect(proxy.url, {}, { timing });
    expect(await send(connection)).toMatchObject({ status: 200 });
    return { proxy, connection, received };
  }
  const send = (connection: Http2Connection): Promise<End> => world.send(connection, undefined, undefined, TIMEOUT_MS);
  const suspected = async (connection: Http2Connection): Promise<void> => {
    while (connection.ready() && connection.epoch === 1) await delay(5);
  };

  it('waits for the requests that a stalled provider has received, and sends none twice', async () => {
    const { proxy, connection, received } = await begin();
    proxy.stall();
    const ends = Array.from({ length: 20 }, () => send(connection));
    await suspected(connection);
    // Waits for a connection, whichever it will be.
    const later = send(connection);
    await delay(STALL_MS);
    proxy.resume();
    expect(await Promise.all([...ends, later])).toEqual(
      Array.from({ length: 21 }, () => expect.objectContaining({ status: 200 })),
    );
    expect(received.length).toBe(22);
    expect(await send(connection)).toMatchObject({ status: 200 });
  });

  it('uses another connection if one is half-open, and closes the old one', async () => {
    const { proxy, connection } = await begin();
    proxy.cut();
    const ends = Array.from({ length: 5 }, () => send(connection));
    await suspected(connection);
    expect(await send(connection)).toMatchObject({ status: 200 });
    expect(await Promise.all(ends)).toEqual(ends.map(() => ({ cause: 'lost' })));
    expect(proxy.connections).toBe(2);
  });

  it('continues after a black hole that the old connection does not survive', async () => {
    const { proxy, connection } = await begin();
    proxy.stall();
    proxy.cut();
    const ends = Array.from({ length: 5 }, () => send(connection));
    await suspected(connection);
    await delay(STALL_MS);
    expect(connection.lastFailure()).toMatchObject({ cause: 'unreachable' });
    proxy.resume();
    expect(await send(connection)).toMatchObject({ status: 200 });
    expect(await Promise.all(ends)).toEqual(ends.map(() => ({ cause: 'lost' })));
  });
});
