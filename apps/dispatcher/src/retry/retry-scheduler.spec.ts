import { describe, expect, it } from '@jest/globals';
import { apnsRefusal } from '@tidings/channels';
import { batch, consume, failures, releasedAt } from '../testing/virtual-batches.ts';
import { VirtualLane, type VirtualProvider } from '../testing/virtual-lane.ts';

const busy = apnsRefusal(503, '{"reason":"ServiceUnavailable"}').result;
const tooMany = apnsRefusal(429, '{"reason":"TooManyRequests"}').result;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('devices that wait for a retry', () => {
  it('are sent, although more than an hour has passed since their slice was deferred', async () => {
    const end = 65 * MINUTE;
    const lane = new VirtualLane({
      A: {
        answer: (_, now) =>
          now < end ? { afterMs: 10, result: busy, retryAfterMs: 15 * MINUTE } : { afterMs: 5 * SECOND },
      },
    });
    consume(
      lane,
      Array.from({ length: 40 }, (_, i) => batch(releasedAt, { message: `m${i}`, devices: 500 })),
    );
    await lane.pass(end + 30 * MINUTE);
    expect(lane.settledOf('A')).toBe(40);
    // Slices that were tried at first have ended an hour later.
    expect(new Set(failures(lane))).toEqual(new Set([busy.name]));
    expect(lane.written.length).toBeGreaterThan(19_000);
  });
});

describe('retries of one credential', () => {
  it('are sent on time beside thousands of slices of another one that became due together', async () => {
    const throttled: VirtualProvider = {
      answer: (_, now) =>
        now < MINUTE ? { afterMs: 10, result: busy, retryAfterMs: MINUTE } : { afterMs: 5 * SECOND },
    };
    let tries = 0;
    const lane = new VirtualLane({
      A: throttled,
      B: { answer: () => (tries++ === 0 ? { afterMs: 10, result: busy } : { afterMs: 10 }) },
    });
    consume(
      lane,
      Array.from({ length: 2_000 }, (_, i) => batch(releasedAt, { message: `m${i}`, devices: 100 })),
    );
    await lane.pass(MINUTE + 10 * SECOND);
    expect(lane.settledOf('A')).toBeLessThan(200);
    consume(lane, [batch(releasedAt, { application: 'B' })]);
    await lane.pass(10 * SECOND);
    expect(tries).toBe(2);
    expect(lane.settledOf('B')).toBe(1);
  });
});

describe('a deferred slice', () => {
  it('includes devices that the dead worker could not have written, if repeats would show', async () => {
    const tries = new Map<string, number>();
    const lane = new VirtualLane({
      A: {
        answer: (token) => {
          const count = (tries.get(token) ?? 0) + 1;
          tries.set(token, count);
          // The second device waits for two minutes and more, the first one for a second.
          if (count === 1) return { afterMs: 10, result: tooMany, retryAfterMs: token === 'm-1;' ? 2 * MINUTE : 0 };
          return { afterMs: 10 };
        },
      },
    });
    consume(lane, [batch(releasedAt, { devices: 2, atMostOnce: true })]);
    await lane.pass(SECOND / 2);
    const [id] = [...lane.attempts.byId.keys()];
    await lane.attempts.over().resume(id!, 'died', lane.time.now() + SECOND);
    await lane.pass(30 * SECOND);
    expect(failures(lane)).toEqual(['unknown_outcome']);
    expect(lane.settledOf('A')).toBe(0);
    await lane.pass(3 * MINUTE);
    expect(lane.settledOf('A')).toBe(1);
    expect(failures(lane)).toEqual(['unknown_outcome']);
    expect(tries.get('m-1;')).toBe(2);
  });

  it('is announced as due later than its devices wait, since it needs no delivery', async () => {
    const lane = new VirtualLane({ A: { answer: () => ({ afterMs: 20 * SECOND }) } });
    consume(
      lane,
      Array.from({ length: 40 }, (_, i) => batch(releasedAt, { message: `m${i}`, devices: 500 })),
    );
    await lane.pass(MINUTE);
    const deferrals = lane.outcomes.flatMap(({ at, outcome: { outcome } }) =>
      outcome?.$case === 'deferred' ? [outcome.value.until!.getTime() - releasedAt - at] : [],
    );
    // Slices that await answers are due in 30 s.
    expect(Math.min(...deferrals)).toBe(30 * SECOND);
    expect(Math.max(...deferrals)).toBeGreaterThan(5 * MINUTE);
  });
});
