import { describe, expect, it } from '@jest/globals';
import { apnsRefusal } from '@tidings/channels';
import { batch, consume, failures, releasedAt } from '../testing/virtual-batches.ts';
import { VirtualLane, type VirtualProvider } from '../testing/virtual-lane.ts';

const busy = apnsRefusal(503, '{"reason":"ServiceUnavailable"}').result;
const tooMany = apnsRefusal(429, '{"reason":"TooManyRequests"}').result;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** `RETRIED`: the fourth retry, two minutes and a fifth after the third. */
const OUTAGE = MINUTE;
const RETRIED = 36 * SECOND + 2.4 * MINUTE;

const outages: Readonly<Record<string, VirtualProvider>> = {
  'cannot be reached': { answer: () => ({ afterMs: 10 }), isDown: (now) => now < OUTAGE },
  'does not answer': { answer: (_, now) => ({ afterMs: now < OUTAGE ? 10 * MINUTE : 10 }) },
  'is busy': { answer: (_, now) => (now < OUTAGE ? { afterMs: 10, result: busy } : { afterMs: 10 }) },
  'asks to wait': {
    answer: (_, now) => (now < OUTAGE ? { afterMs: 10, result: tooMany, retryAfterMs: 2 * MINUTE } : { afterMs: 10 }),
  },
  'throttles the application': {
    answer: (_, now) => (now < OUTAGE ? { afterMs: 10, result: busy, retryAfterMs: MINUTE } : { afterMs: 10 }),
  },
};
const steps = [-2 * HOUR, -10 * MINUTE, -20_000 * HOUR, 2 * HOUR, 30 * MINUTE, 25 * HOUR];

describe.each(Object.entries(outages))('pushes to a provider that %s for a minute', (_, provider) => {
  it.each(steps)('are sent after it, although the clock is set by %d ms meanwhile', async (ms) => {
    const lane = new VirtualLane({ A: provider });
    consume(lane, [batch(releasedAt, { devices: 700, ttlSeconds: HOUR / SECOND })]);
    await lane.pass(OUTAGE / 2);
    lane.time.clock.step(ms);
    consume(lane, [batch(lane.time.clock.now(), { message: 'n', ttlSeconds: HOUR / SECOND })]);
    await lane.pass(RETRIED + MINUTE - OUTAGE / 2);
    expect(failures(lane)).toEqual([]);
    expect(lane.settledOf('A')).toBe(3);
  });
});

it('a throttle that is renewed after a step back lasts as long as the provider requests', async () => {
  const lane = new VirtualLane({
    A: {
      answer: (_, now) => (now < OUTAGE ? { afterMs: 10, result: busy, retryAfterMs: 5 * SECOND } : { afterMs: 10 }),
    },
  });
  const refresh = (): void => {
    void lane.throttles.refresh();
    lane.time.at(SECOND, refresh);
  };
  refresh();
  consume(lane, [batch(releasedAt, { devices: 700 })]);
  await lane.pass(2 * SECOND);
  lane.time.clock.step(-5 * MINUTE);
  await lane.pass(OUTAGE + 30 * SECOND);
  expect(lane.written.length).toBeGreaterThan(700);
  expect(lane.throttles.throttled()).toEqual([]);
  expect(failures(lane)).toEqual([]);
});

it('devices that were refused in a run before the clock was set back in it are retried in time', async () => {
  const answer = (token: string, now: number) => ({
    afterMs: token === 'm-0;' ? 10 : 3 * SECOND,
    ...(now < 4 * SECOND && { result: tooMany, retryAfterMs: 10 * SECOND }),
  });
  const lane = new VirtualLane({ A: { answer } });
  consume(lane, [batch(releasedAt, { devices: 2 })]);
  await lane.pass(SECOND);
  lane.time.clock.step(-5 * MINUTE);
  await lane.pass(25 * SECOND);
  expect([lane.settledOf('A'), lane.written.length, failures(lane)]).toEqual([1, 4, []]);
});

it('a device that is to be sent to at most once keeps its late answer when the clock is set', async () => {
  for (const ms of steps) {
    const lane = new VirtualLane({ A: { answer: () => ({ afterMs: 20 * SECOND }) } });
    consume(lane, [batch(releasedAt, { devices: 3, atMostOnce: true })]);
    await lane.pass(10 * SECOND);
    lane.time.clock.step(ms);
    await lane.pass(15 * SECOND);
    expect([ms, failures(lane), lane.settledOf('A'), lane.written.length]).toEqual([ms, [], 1, 3]);
  }
});

it('a slice whose deferral is stored seconds after a step back, as of the time before it, is sent', async () => {
  const lane = new VirtualLane({
    A: {
      answer: (_, now) => (now < SECOND ? { afterMs: 10, result: tooMany, retryAfterMs: 5 * MINUTE } : { afterMs: 10 }),
    },
  });
  consume(lane, [batch(releasedAt, { devices: 2 })]);
  await lane.pass(SECOND);
  const [id, late] = [...lane.attempts.byId][0]!;
  expect(late.attempt.state).toBe('deferred');
  lane.time.clock.step(-10 * MINUTE);
  await lane.pass(3 * SECOND);
  lane.attempts.byId.set(id, late);
  await lane.pass(10 * SECOND);
  expect(lane.attempts.byId.get(id)!.attempt.state).toBe('settled');
});
