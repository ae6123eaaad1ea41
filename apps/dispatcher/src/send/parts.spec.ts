import { describe, expect, it } from '@jest/globals';
import { apnsRefusal } from '@tidings/channels';
import { answered, resultsIn } from '@tidings/delivery';
import { VirtualLane, type VirtualProvider } from '../testing/virtual-lane.ts';
import { batch, consume, releasedAt } from '../testing/virtual-batches.ts';

const busy = apnsRefusal(503, '{"reason":"ServiceUnavailable"}').result;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

function laneOf(devices: number, seventh: VirtualProvider['answer'], others: VirtualProvider['answer']): VirtualLane {
  const lane = new VirtualLane({ A: { answer: (token, now) => (token === 'm-7;' ? seventh : others)(token, now) } });
  consume(lane, [batch(releasedAt, { devices })]);
  return lane;
}

const parts = ({ outcomes }: VirtualLane): { at: number; number: number; devices: number }[] =>
  outcomes.flatMap(({ at, outcome }) => {
    const results = resultsIn(outcome);
    return results ? [{ at, number: outcome.number, devices: answered(results).size }] : [];
  });

const devicesPublishedBy = (lane: VirtualLane, at: number): number => {
  const bySlice = new Map<number, number>();
  for (const part of parts(lane)) if (part.at <= at) bySlice.set(part.number, part.devices);
  return [...bySlice.values()].reduce((sum, devices) => sum + devices, 0);
};

describe('the results of a slice', () => {
  it('are published when one device is deferred, for an hour if necessary', async () => {
    const lane = laneOf(
      600,
      () => ({ afterMs: 10, result: busy }),
      () => ({ afterMs: 10 }),
    );
    await lane.pass(SECOND);
    expect(devicesPublishedBy(lane, SECOND)).toBe(599);
    await lane.pass(70 * MINUTE);
    expect(devicesPublishedBy(lane, lane.now)).toBe(600);
    expect(lane.settledOf('A')).toBe(2);
  });

  it('are published after 2 s while an answer is awaited, and with each late answer', async () => {
    const lane = laneOf(
      500,
      () => ({ afterMs: 20 * SECOND }),
      () => ({ afterMs: 10 }),
    );
    await lane.pass(10 * SECOND);
    const [first, second, ...more] = parts(lane);
    expect(first).toMatchObject({ devices: 499 });
    expect(first!.at).toBeLessThanOrEqual(2_500);
    // The end of the handler call defers the slice.
    expect(second).toMatchObject({ devices: 499 });
    expect(more).toEqual([]);
    await lane.pass(11 * SECOND);
    expect(parts(lane).at(-1)).toMatchObject({ devices: 500 });
  });

  it('are published within 5 s of each answer, and at most once in 2 s, at any rate', async () => {
    let answers = 0;
    const lane = laneOf(
      400,
      () => ({ afterMs: Infinity }),
      () => ({ afterMs: (answers += 100) }),
    );
    await lane.pass(45 * SECOND);
    const published = parts(lane);
    for (let answer = 1; answer <= 300; answer++) {
      const { at } = published.find(({ devices }) => devices >= answer)!;
      expect(at - answer * 100).toBeLessThanOrEqual(5 * SECOND);
    }
    const gaps = published.slice(1).map(({ at }, i) => at - published[i]!.at);
    // The end of the handler call publishes whatever came before.
    expect(gaps.filter((gap) => gap < 2 * SECOND).length).toBeLessThanOrEqual(2);
    expect(published.length).toBeLessThan(25);
  });

  it('are published again for late answers that the broker did not accept', async () => {
    let answers = 0;
    const lane = laneOf(
      40,
      () => ({ afterMs: 25 * SECOND }),
      () => ({ afterMs: (answers += 500) }),
    );
    await lane.pass(8 * SECOND);
    lane.brokerIsDown = true;
    await lane.pass(10 * SECOND);
    lane.brokerIsDown = false;
    const before = parts(lane).length;
    await lane.pass(3 * SECOND);
    expect(parts(lane).length).toBeGreaterThan(before);
    expect(devicesPublishedBy(lane, lane.now)).toBeGreaterThanOrEqual(36);
  });

  it('are published once for a single device, and recorded by no write of their own', async () => {
    const lane = laneOf(
      1,
      () => ({ afterMs: 10 }),
      () => ({ afterMs: 10 }),
    );
    const recorded = lane.attempts.recordedProgress;
    await lane.pass(10 * SECOND);
    expect(parts(lane)).toHaveLength(1);
    expect(lane.attempts.recordedProgress - recorded).toBe(0);
  });
});

describe('a worker that takes over an open slice', () => {
  it('repeats only devices whose answers were not recorded', async () => {
    const provider: VirtualProvider = { answer: (token) => ({ afterMs: /-[0-9]{1,2};$/.test(token) ? Infinity : 10 }) };
    const lane = new VirtualLane({ A: provider });
    const sent = batch(releasedAt, { devices: 500 });
    void lane.dispatch.handle([sent]);
    await lane.pass(SECOND);
    // The worker dies: nothing of it happens any more.
    lane.leases.until.clear();
    const other = new VirtualLane({ A: { answer: () => ({ afterMs: 10 }) } }, lane.attempts);
    await other.pass(SECOND);
    consume(other, [sent]);
    await other.pass(5 * SECOND);
    expect(lane.written).toHaveLength(500);
    expect(other.written).toHaveLength(100);
    expect(parts(other).at(-1)).toMatchObject({ devices: 500 });
  });
});
