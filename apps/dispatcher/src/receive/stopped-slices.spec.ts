import { describe, expect, it } from '@jest/globals';
import { apnsRefusal, localResults } from '@tidings/channels';
import { batch, consume, failures, releasedAt } from '../testing/virtual-batches.ts';
import { VirtualLane, type VirtualProvider } from '../testing/virtual-lane.ts';

const unavailable = apnsRefusal(503, '{"reason":"ServiceUnavailable"}').result;
const tooMany = apnsRefusal(429, '{"reason":"TooManyRequests"}').result;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

const answering = (afterMs: number): VirtualProvider => ({ answer: () => ({ afterMs }) });

async function stopped(lane: VirtualLane): Promise<void> {
  await lane.stops.record(['m']);
  lane.written.length = 0;
}

describe('a slice of a stopped message', () => {
  it('that arrives is not sent', async () => {
    const lane = new VirtualLane({ A: answering(10) });
    await stopped(lane);
    consume(lane, [batch(releasedAt, { devices: 1_200 }), batch(releasedAt, { message: 'n' })]);
    await lane.pass(SECOND);
    expect(lane.written.map(({ token }) => token)).toEqual(['n-0;']);
    expect(failures(lane)).toEqual(['stopped', 'stopped', 'stopped']);
    expect(lane.settledOf('A')).toBe(4);
  });

  it('ends at once if it is deferred, though its credential is throttled', async () => {
    const lane = new VirtualLane({
      A: { answer: () => ({ afterMs: 10, result: unavailable, retryAfterMs: 10 * MINUTE }) },
    });
    consume(lane, [batch(releasedAt, { devices: 700 })]);
    await lane.pass(5 * SECOND);
    expect(lane.settledOf('A')).toBe(0);
    await stopped(lane);
    await lane.pass(SECOND);
    expect(lane.settledOf('A')).toBe(2);
    expect(new Set(failures(lane))).toEqual(new Set(['stopped']));
    await lane.pass(20 * MINUTE);
    expect(lane.written).toEqual([]);
  });

  it('ends without its provider if that cannot be reached', async () => {
    const lane = new VirtualLane({ A: { ...answering(10), isDown: () => true } });
    consume(lane, [batch(releasedAt, { devices: 700 })]);
    await lane.pass(5 * SECOND);
    await stopped(lane);
    await lane.pass(10 * SECOND);
    expect(lane.settledOf('A')).toBe(2);
    expect(new Set(failures(lane))).toEqual(new Set(['stopped']));
  });

  it('ends as its pushes in flight do, which are not tried again', async () => {
    const lane = new VirtualLane({
      A: {
        answer: (token) => {
          if (token === 'm-0;') return { afterMs: 500 };
          return { afterMs: 500, result: token === 'm-1;' ? tooMany : unavailable };
        },
      },
    });
    consume(lane, [batch(releasedAt, { devices: 3 })]);
    await lane.pass(200);
    expect(lane.written).toHaveLength(3);
    await stopped(lane);
    await lane.pass(SECOND);
    expect(lane.settledOf('A')).toBe(1);
    expect(failures(lane).toSorted()).toEqual([unavailable.name, tooMany.name].toSorted());
    await lane.pass(2 * 60 * MINUTE);
    expect(lane.written).toEqual([]);
  });

  it('has the rest of its devices ended while others are in flight', async () => {
    const lane = new VirtualLane({ A: answering(3 * SECOND) });
    const paced = { ...batch(releasedAt, { devices: 400 }), sendRate: 100 };
    consume(lane, [paced]);
    await lane.pass(SECOND);
    const inFlight = lane.written.length;
    expect(inFlight).toBeGreaterThan(50);
    expect(inFlight).toBeLessThan(150);
    await stopped(lane);
    await lane.pass(10 * SECOND);
    expect(lane.written).toEqual([]);
    expect(lane.settledOf('A')).toBe(1);
    expect(failures(lane)).toEqual(['stopped']);
  });

  it('counts late answers, and is not repeated without one', async () => {
    const lane = new VirtualLane({
      A: { answer: (token) => ({ afterMs: token === 'm-0;' ? 8 * SECOND : Infinity }) },
    });
    consume(lane, [batch(releasedAt, { devices: 2 })]);
    await lane.pass(6 * SECOND);
    await stopped(lane);
    await lane.pass(5 * MINUTE);
    expect(lane.written).toEqual([]);
    expect(lane.settledOf('A')).toBe(1);
    expect(failures(lane)).toEqual([localResults.unknownOutcome.name]);
  });
});
