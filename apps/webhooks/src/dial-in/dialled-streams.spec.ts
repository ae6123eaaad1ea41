import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SubscriptionSettings } from '@tidings/events';
import { openLog, openMetrics } from '@tidings/runtime';
import { streamMetrics } from '../stream-metrics.ts';
import { memoryDeferred } from '../testing/memory-deferred.ts';
import type { Link } from '../streams/links/link-port.ts';
import type { Progress } from '../streams/stream-progress.ts';
import type { DialledCall } from './dialled-call.ts';
import { DialledStreams } from './dialled-streams.ts';
import { MAX_STREAMS_PER_TOKEN } from './refusals.ts';

const at = new Date('2026-01-15T12:00:00Z');
const begun: Progress = { next: { n: 1, e: 0, d: 0 }, open: [] };
const unused = (): never => {
  throw new Error('unused');
};

class TestCall implements DialledCall {
  readonly authorization = 'Token secret';
  readonly isOver = false;
  readonly ended: (string | undefined)[] = [];
  constructor(readonly subscription: string) {}
  link(): Link {
    return { answerMs: 30_000, isWritable: true, send: unused, close: () => undefined };
  }
  end(refusal?: Error): void {
    this.ended.push(refusal?.message);
  }
}

function world(claim: () => Promise<Progress | undefined>, admitting: Promise<unknown> = Promise.resolve()) {
  return new DialledStreams({
    admit: async ({ subscription }) => {
      await admitting;
      const settings = SubscriptionSettings.fromPartial({ enabled: true });
      return {
        token: 'token',
        subscription: { id: subscription!, account: 'a', createdAt: at, since: at, settings },
      };
    },
    progress: { claim, save: async () => true, release: async () => undefined, owners: async () => new Map() },
    subscriptions: { find: async () => undefined },
    lease: { owner: 'process', isHeld: () => true, hasPeers: () => false },
    commits: { after: async () => [], pick: async () => [], newest: async () => 0 },
    maker: { make: async () => [] },
    messages: { find: async () => new Map() },
    deferred: { of: () => memoryDeferred() },
    metrics: streamMetrics(openMetrics()),
    clock: { now: () => at.getTime() },
    log: openLog('silent'),
    disable: unused,
  });
}

describe('limits of calls (R-EV7)', () => {
  let streams: DialledStreams;
  afterEach(() => streams.close());

  it(`a token has at most ${MAX_STREAMS_PER_TOKEN} streams in a process`, async () => {
    streams = world(async () => begun);
    const calls = Array.from({ length: MAX_STREAMS_PER_TOKEN + 1 }, (_, i) => new TestCall(`s${i}`));
    for (const call of calls) await streams.dial(call);
    expect(calls.map(({ ended }) => ended.length)).toEqual([...calls.slice(1).map(() => 0), 1]);
    expect(calls.at(-1)!.ended).toEqual(['authorization: a token has at most 20 streams']);
    const again = new TestCall('s0');
    await streams.dial(again);
    expect([calls[0]!.ended, again.ended]).toEqual([['subscription: another consumer has dialled in'], []]);
  });

  it('at most 8 calls wait for the stream of one subscription, and do not delay others', async () => {
    const claimed = Promise.withResolvers<Progress | undefined>();
    streams = world(() => claimed.promise);
    const calls = Array.from({ length: 9 }, () => new TestCall('s'));
    const dialled = calls.map((call) => streams.dial(call));
    await turn();
    expect(calls.map(({ ended }) => ended)).toEqual([
      ...calls.slice(1).map(() => []),
      ['Too many consumers dial in at once'],
    ]);
    const other = new TestCall('another');
    const served = streams.dial(other);
    await turn();
    expect(other.ended).toEqual([]);
    claimed.resolve(begun);
    await Promise.all([...dialled, served]);
    expect(calls.filter(({ ended }) => ended.length === 0)).toEqual([calls[7]]);
  });

  it('at most 64 calls have their tokens looked up at a time', async () => {
    const admitting = Promise.withResolvers<void>();
    streams = world(async () => undefined, admitting.promise);
    const calls = Array.from({ length: 65 }, (_, i) => new TestCall(`s${i}`));
    const dialled = calls.map((call) => streams.dial(call));
    await turn();
    expect(calls.flatMap(({ ended }) => ended)).toEqual(['Too many consumers dial in at once']);
    admitting.resolve();
    await Promise.all(dialled);
  });
});
