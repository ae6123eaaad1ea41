import { describe, expect, it } from '@jest/globals';
import { claimed, noResults, sliceId, WORKER_LEASE_MS } from '@tidings/delivery';
import type { SendBatch } from '@tidings/events';
import { content, sendBatch } from '../testing/test-batches.ts';
import { VirtualLane } from '../testing/virtual-lane.ts';
import { VirtualTime } from '../testing/virtual-time.ts';
import { PendingLeases } from './pending-leases.ts';

const SECOND = 1000;
const OTHER = 'other/1';
/** Kafka has given up the killed worker by then, and its lease still runs. */
const LEASE_REMAINING_MS = 4 * SECOND;

interface Scenario {
  readonly slices?: number;
  readonly devices?: number;
  readonly atMostOnce?: boolean;
}

async function delivered({ slices = 1, devices = 1, atMostOnce = false }: Scenario = {}) {
  const lane = new VirtualLane({ A: { answer: () => ({ afterMs: 10 }) } });
  lane.leases.until.set(OTHER, lane.time.now() + 5 * SECOND + LEASE_REMAINING_MS);
  await lane.pass(5 * SECOND);
  const batch: SendBatch = sendBatch(
    Array.from({ length: slices }, (_, number) => ({
      number,
      devices: Array.from({ length: devices }, (_, i) => {
        const position = number * devices + i;
        return { position, token: `${position}` };
      }),
    })),
    {
      application: 'A',
      atMostOnce,
      releasedAt: new Date(lane.time.now()),
      content: content(),
      credential: { application: 'A', platform: 1, version: 1 },
    },
  );
  const ids = batch.slices.map(({ number }) => sliceId({ ...batch, number }));
  const store = lane.attempts.over();
  for (const id of ids) {
    await store.claim(id, { lane: 'direct', credential: 'A/1' }, claimed(OTHER, lane.time.now(), noResults));
  }
  const renew = (): void => void lane.leases.until.set(OTHER, lane.time.now() + LEASE_REMAINING_MS);
  const handled = lane.dispatch.handle([batch]);
  await lane.pass(SECOND);
  expect(await handled).toBe(1);
  return { lane, ids, store, renew };
}

describe('a slice of a delivered batch that another worker has claimed', () => {
  it('is sent when the lease of that worker is over, without another delivery', async () => {
    const { lane } = await delivered({ slices: 2, devices: 2 });
    await lane.pass(LEASE_REMAINING_MS - 1.5 * SECOND);
    expect(lane.written).toEqual([]);
    await lane.pass(4 * SECOND);
    expect(lane.written.map(({ token }) => token).toSorted()).toEqual(['0', '1', '2', '3']);
    expect(lane.settledOf('A')).toBe(2);
  });

  it('is in doubt then if repeats are not masked', async () => {
    const { lane } = await delivered({ atMostOnce: true });
    await lane.pass(10 * SECOND);
    expect(lane.written).toEqual([]);
    const failed = [...lane.attempts.byId.values()].flatMap(({ attempt }) => attempt.results.failed);
    expect(failed.map(({ name }) => name)).toEqual(['unknown_outcome']);
  });

  it('is left to a worker that renews its lease', async () => {
    const { lane, ids, store, renew } = await delivered();
    for (let i = 0; i < 15; i++) {
      await lane.pass(2 * SECOND);
      renew();
    }
    expect([lane.written, lane.outcomes]).toEqual([[], []]);
    // Forgotten by now: the owner has lived long enough to end it.
    await lane.pass(2 * WORKER_LEASE_MS);
    expect([lane.written, lane.outcomes]).toEqual([[], []]);
    expect(await store.find(ids[0]!)).toMatchObject({ state: 'claimed', owner: OTHER });
  });

  it('is not sent if it was settled by the end of the lease, and its outcome is published', async () => {
    const { lane, ids, store } = await delivered();
    await store.settle(ids[0]!, { owner: OTHER, round: 1 }, noResults, lane.time.now());
    await lane.pass(10 * SECOND);
    expect(lane.written).toEqual([]);
    expect(lane.settledOf('A')).toBe(1);
  });

  it('is taken over once, by the first worker', async () => {
    const { lane, ids, store } = await delivered();
    lane.leases.until.set('third/1', lane.time.now() + 60 * SECOND);
    await store.takeOver(ids[0]!, OTHER, 'third/1');
    await lane.pass(10 * SECOND);
    expect([lane.written, lane.outcomes]).toEqual([[], []]);
  });

  it('is dropped when the dispatcher stops', async () => {
    const { lane } = await delivered();
    await lane.dispatch.stop();
    await lane.pass(10 * SECOND);
    expect([lane.written, lane.outcomes]).toEqual([[], []]);
  });

  it('is awaited together with others of at most 8,000 devices', async () => {
    const time = new VirtualTime(1_800_000_000_000);
    const handled: string[] = [];
    const pendingLeases = new PendingLeases({
      workerLease: { alive: () => Promise.resolve(new Set()) },
      timers: time.timers(() => true),
      log: { warn: () => undefined },
    });
    const add = (id: string, devices: number): void =>
      pendingLeases.add({ id, owner: OTHER, devices, retry: async () => handled.push(id) > 0 });
    for (const id of ['first', 'second', 'second']) add(id, 4_000);
    add('third', 1);
    await time.run(time.now() + 10 * SECOND);
    expect(handled.splice(0)).toEqual(['first', 'second']);
    add('fourth', 8_000);
    await time.run(time.now() + 10 * SECOND);
    expect(handled).toEqual(['fourth']);
  });

  it('is handled once more if it got no slots', async () => {
    const time = new VirtualTime(1_800_000_000_000);
    let tries = 0;
    const pendingLeases = new PendingLeases({
      workerLease: { alive: () => Promise.resolve(new Set()) },
      timers: time.timers(() => true),
      log: { warn: () => undefined },
    });
    pendingLeases.add({ id: 'a', owner: OTHER, devices: 1, retry: async () => ++tries === 3 });
    await time.run(time.now() + 60 * SECOND);
    expect(tries).toBe(3);
  });
});
