import { describe, expect, it } from '@jest/globals';
import { apnsRefusal, localResults, unlisted } from '@tidings/channels';
import { OPEN_DEVICES, SLICE_SIZE } from '@tidings/delivery';
import { LocaleSettings, type SendBatch } from '@tidings/events';
import { content, sendBatch } from '../testing/test-batches.ts';
import { batch, consume, failures, releasedAt } from '../testing/virtual-batches.ts';
import { VirtualLane, type VirtualProvider } from '../testing/virtual-lane.ts';

const busy = apnsRefusal(503, '{"reason":"ServiceUnavailable"}').result;
const tooMany = apnsRefusal(429, '{"reason":"TooManyRequests"}').result;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

const answering = (afterMs: number): VirtualProvider => ({ answer: () => ({ afterMs }) });

describe('a slow answer', () => {
  it.each([
    [6, 60],
    [11, 60],
    [29, 60],
    [6, 2000],
  ])('is awaited after %i s of %i devices, and nothing is sent twice', async (seconds, devices) => {
    const lane = new VirtualLane({ A: answering(seconds * SECOND) });
    consume(lane, [batch(releasedAt, { devices })]);
    await lane.pass(5 * MINUTE);
    expect(lane.written).toHaveLength(devices);
    expect(new Set(lane.written.map(({ token }) => token)).size).toBe(devices);
    expect(lane.settledOf('A')).toBe(Math.ceil(devices / 500));
    expect(failures(lane)).toEqual([]);
  });

  it('is awaited for the time limit of the provider, and no longer', async () => {
    const slow = (seconds: number): VirtualLane => {
      const lane = new VirtualLane({ A: { ...answering(seconds * SECOND), answersForMs: 10 * MINUTE } });
      consume(lane, [batch(releasedAt, { atMostOnce: true })]);
      return lane;
    };
    const [inTime, never] = [slow(590), slow(Infinity)];
    await Promise.all([inTime.pass(11 * MINUTE), never.pass(9 * MINUTE)]);
    expect(inTime.settledOf('A')).toBe(1);
    expect(failures(inTime)).toEqual([]);
    expect(never.settledOf('A')).toBe(0);
    await never.pass(2 * MINUTE);
    expect(new Set(failures(never))).toEqual(new Set(['unknown_outcome']));
  });

  it('is counted within a second of its arrival', async () => {
    const lane = new VirtualLane({ A: answering(6 * SECOND) });
    consume(lane, [batch(releasedAt)]);
    await lane.pass(6.5 * SECOND);
    expect(lane.settledOf('A')).toBe(1);
  });

  it('is repeated after 30 s if it never arrives, or is unknown if repeats are not masked', async () => {
    const silent = (): VirtualProvider => {
      let first = true;
      return { answer: () => (first ? ((first = false), { afterMs: Infinity }) : { afterMs: 10 }) };
    };
    const lane = new VirtualLane({ A: silent(), B: silent() });
    consume(lane, [batch(releasedAt), batch(releasedAt, { application: 'B', atMostOnce: true })]);
    await lane.pass(30 * SECOND);
    expect(lane.written).toHaveLength(2);
    await lane.pass(10 * SECOND);
    expect(lane.written.map(({ application }) => application)).toEqual(['A', 'B', 'A']);
    expect([lane.settledOf('A'), lane.settledOf('B')]).toEqual([1, 1]);
    expect(failures(lane)).toEqual(['unknown_outcome']);
  });

  it('is repeated if it is lost with its connection, or is unknown if repeats are not masked', async () => {
    const losing = (): VirtualProvider => {
      let first = true;
      return {
        answer: () =>
          first ? ((first = false), { afterMs: 10, result: localResults.connectionLost }) : { afterMs: 10 },
      };
    };
    const lane = new VirtualLane({ A: losing(), B: losing() });
    consume(lane, [batch(releasedAt), batch(releasedAt, { application: 'B', atMostOnce: true })]);
    await lane.pass(10 * SECOND);
    expect(lane.written.map(({ application }) => application)).toEqual(['A', 'B', 'A']);
    expect([lane.settledOf('A'), lane.settledOf('B')]).toEqual([1, 1]);
    expect(failures(lane)).toEqual(['unknown_outcome']);
  });

  it('does not delay other sends: a thousand of 2 s take seconds', async () => {
    const lane = new VirtualLane({ A: answering(2 * SECOND) });
    const messages = Array.from({ length: 1000 }, (_, i) => batch(releasedAt, { message: `m${i}` }));
    consume(lane, messages);
    await lane.pass(5 * SECOND);
    expect(lane.settledOf('A')).toBe(1000);
    expect(lane.written).toHaveLength(1000);
  });
});

describe('a deferred slice', () => {
  it.each([
    ['is sent', false, []],
    ['is unknown where repeats would show', true, ['unknown_outcome']],
  ])('%s when the worker dies that has resumed it, without another delivery', async (_what, atMostOnce, failed) => {
    const refused = (): VirtualProvider => {
      let first = true;
      return { answer: () => (first ? ((first = false), { afterMs: 10, result: busy }) : { afterMs: 10 }) };
    };
    const lane = new VirtualLane({ A: refused() });
    consume(lane, [batch(releasedAt, { atMostOnce })]);
    await lane.pass(SECOND / 2);
    const [id] = [...lane.attempts.byId.keys()];
    const resumed = lane.attempts.over().resume(id!, 'died', Infinity);
    await lane.pass(20 * SECOND);
    expect((await resumed)?.owner).toBe('died');
    expect(lane.settledOf('A')).toBe(1);
    expect(failures(lane)).toEqual(failed);
  });

  it.each([2_300, 2_600, 2_900])('is resumed after its %i ms, also between two polls', async (retryAfterMs) => {
    let tries = 0;
    const lane = new VirtualLane({
      A: { answer: () => (tries++ === 0 ? { afterMs: 10, result: tooMany, retryAfterMs } : { afterMs: 10 }) },
    });
    consume(lane, [batch(releasedAt)]);
    await lane.pass(10 * SECOND);
    const [first, second] = lane.written.map(({ at }) => at);
    expect(lane.written).toHaveLength(2);
    expect(second! - first!).toBeGreaterThanOrEqual(retryAfterMs);
    expect(second! - first!).toBeLessThanOrEqual(retryAfterMs + 100);
  });
});

describe('the age of a message', () => {
  it('grows by the minute while its devices wait: their times to live count from its release (R-I11)', async () => {
    let tries = 0;
    const lane = new VirtualLane({
      A: {
        answer: () => (tries++ === 0 ? { afterMs: 10, result: tooMany, retryAfterMs: 5 * MINUTE } : { afterMs: 10 }),
      },
    });
    const ageSeconds = 7200;
    consume(lane, [batch(releasedAt - ageSeconds * SECOND)]);
    await lane.pass(7 * MINUTE);
    expect(lane.written).toHaveLength(2);
    expect(lane.written[1]!.at).toBeGreaterThanOrEqual(5 * MINUTE);
    for (const push of lane.written) {
      const behind = ageSeconds + push.at / SECOND - push.ageSeconds!;
      expect(behind).toBeGreaterThanOrEqual(0);
      expect(behind).toBeLessThan(61);
    }
  });
});

describe('a credential', () => {
  it('leaves room for others as soon as they wait if its provider is slow', async () => {
    const lane = new VirtualLane({ A: answering(20 * SECOND), B: answering(50) });
    const many = Array.from({ length: 12 }, (_, i) => batch(releasedAt, { message: `m${i}`, devices: 500 }));
    consume(lane, many);
    await lane.pass(500);
    const before = lane.now;
    consume(lane, [batch(releasedAt, { application: 'B' })]);
    await lane.pass(500);
    expect(lane.settledOf('B')).toBe(1);
    expect(lane.firstOf('B')! - before).toBeLessThan(300);
    await lane.pass(10 * MINUTE);
    expect(lane.written.filter(({ application }) => application === 'A')).toHaveLength(6000);
    expect(lane.settledOf('A')).toBe(12);
  });

  it('has all slots while it is alone', async () => {
    const lane = new VirtualLane({ A: answering(SECOND) });
    consume(
      lane,
      Array.from({ length: 8 }, (_, i) => batch(releasedAt, { message: `m${i}`, devices: 500 })),
    );
    await lane.pass(100);
    // Limited by the streams; the other slices are open, too.
    expect(lane.written).toHaveLength(1000);
    expect([...lane.attempts.byId.values()].filter(({ attempt }) => attempt.state === 'claimed')).toHaveLength(
      OPEN_DEVICES / SLICE_SIZE,
    );
  });

  it('occupies no slot without a token, and is used as soon as it has one', async () => {
    const silent: VirtualProvider = {
      answer: () => ({ afterMs: 10 }),
      readyAfterMs: (now) => Math.max(0, 25 * SECOND - now),
    };
    const lane = new VirtualLane({ A: silent, B: answering(50) });
    const many = Array.from({ length: 20 }, (_, i) => batch(releasedAt, { message: `m${i}`, devices: 500 }));
    consume(lane, [...many, batch(releasedAt, { application: 'B' })]);
    await lane.pass(200);
    expect(lane.settledOf('B')).toBe(1);
    const before = lane.now;
    consume(lane, [batch(releasedAt, { message: 'late' }), batch(releasedAt, { application: 'B', message: 'n' })]);
    await lane.pass(200);
    expect([lane.settledOf('A'), lane.settledOf('B')]).toEqual([0, 2]);
    expect(lane.outcomes.at(-1)!.at - before).toBeLessThan(200);
    await lane.pass(26 * SECOND);
    expect(lane.settledOf('A')).toBe(21);
    expect(lane.written.filter(({ application }) => application === 'A')).toHaveLength(10_001);
  });

  it('is tried by one slice at a time while its provider is down, and fails an hour later with the cause', async () => {
    let tried = 0;
    const lane = new VirtualLane({ A: { ...answering(10), isDown: () => ++tried > 0 } });
    consume(
      lane,
      Array.from({ length: 50 }, (_, i) => batch(releasedAt, { message: `m${i}` })),
    );
    await lane.pass(MINUTE);
    // All slices of the first handler call fail together.
    expect(tried).toBeLessThan(50 + 20);
    await lane.pass(65 * MINUTE);
    expect(failures(lane)).toEqual(Array.from({ length: 50 }, () => 'unreachable'));
    expect(lane.written).toEqual([]);
  });
});

describe('a throttle', () => {
  const throttledUntil = (until: number, seconds: number, fingerprint?: string): VirtualProvider => ({
    answer: (_, now) => (now < until ? { afterMs: 10, result: busy, retryAfterMs: seconds * SECOND } : { afterMs: 10 }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });

  it('loses no push: a device that was never tried is deferred, and sent to later', async () => {
    const lane = new VirtualLane({ A: throttledUntil(50, 900) });
    consume(lane, [batch(releasedAt, { devices: 2000 }), batch(releasedAt, { devices: 2000, message: 'later' })]);
    await lane.pass(MINUTE);
    expect(lane.written.length).toBeLessThanOrEqual(1000);
    const refused = lane.written.length;
    await lane.pass(14 * MINUTE - SECOND);
    expect(lane.written).toHaveLength(refused);
    await lane.pass(20 * MINUTE);
    expect(lane.settledOf('A')).toBe(8);
    expect(failures(lane)).toEqual([]);
    expect(lane.written).toHaveLength(4000 + refused);
  });

  it('defers unwritten devices for about a second if it lasts a second', async () => {
    const lane = new VirtualLane({ A: throttledUntil(50, 1) });
    consume(lane, [batch(releasedAt, { devices: 2000 })]);
    await lane.pass(SECOND);
    const first = lane.written.length;
    expect(first).toBeLessThanOrEqual(1000);
    await lane.pass(SECOND);
    expect(lane.written.length).toBeGreaterThanOrEqual(2000);
  });

  it('ends with one probe', async () => {
    const lane = new VirtualLane({ A: throttledUntil(100 * SECOND, 30) });
    consume(
      lane,
      Array.from({ length: 40 }, (_, i) => batch(releasedAt, { message: `m${i}` })),
    );
    await lane.pass(29 * SECOND);
    const first = lane.written.length;
    await lane.pass(65 * SECOND);
    expect(lane.written.length - first).toBeGreaterThanOrEqual(2);
    expect(lane.written.length - first).toBeLessThanOrEqual(4);
    await lane.pass(3 * MINUTE);
    expect(lane.settledOf('A')).toBe(40);
  });

  it('applies to all applications with that credential, and to no other', async () => {
    const lane = new VirtualLane({
      A: throttledUntil(SECOND, 60, 'same'),
      B: { ...answering(10), fingerprint: 'same' },
      C: answering(10),
    });
    consume(lane, [batch(releasedAt)]);
    await lane.pass(SECOND);
    consume(
      lane,
      ['B', 'C'].map((application) => batch(releasedAt, { application })),
    );
    await lane.pass(SECOND);
    expect([lane.settledOf('A'), lane.settledOf('B'), lane.settledOf('C')]).toEqual([0, 0, 1]);
    await lane.pass(2 * MINUTE);
    expect([lane.settledOf('A'), lane.settledOf('B')]).toEqual([1, 1]);
  });

  it('is lifted when the credential is configured again', async () => {
    const lane = new VirtualLane({ A: throttledUntil(SECOND, 900) });
    consume(lane, [batch(releasedAt), batch(releasedAt, { message: 'waits' })]);
    await lane.pass(2 * SECOND);
    consume(lane, [batch(releasedAt, { message: 'still' })]);
    await lane.pass(2 * SECOND);
    expect(lane.settledOf('A')).toBe(0);
    consume(lane, [batch(releasedAt, { message: 'new', version: 2 })]);
    await lane.pass(2 * SECOND);
    // The new device, and those that only waited; refused devices keep their own due time.
    expect(lane.settledOf('A')).toBeGreaterThanOrEqual(2);
    expect(lane.written.some(({ token }) => token.startsWith('still'))).toBe(true);
  });

  it('is lifted by the operator', async () => {
    const lane = new VirtualLane({ A: throttledUntil(SECOND, 900) });
    consume(lane, [batch(releasedAt, { devices: 1 })]);
    await lane.pass(2 * SECOND);
    consume(lane, [batch(releasedAt, { message: 'still' })]);
    await lane.pass(2 * SECOND);
    lane.throttles.lift('A');
    await lane.pass(2 * SECOND);
    expect(lane.written.some(({ token }) => token.startsWith('still'))).toBe(true);
  });

  it('ends devices that only waited at the TTL, or after 24 hours without one', async () => {
    const lane = new VirtualLane({ A: throttledUntil(Infinity, 900) });
    consume(lane, [batch(releasedAt, { message: 'first' })]);
    await lane.pass(2 * SECOND);
    const short = batch(releasedAt, { message: 'short', ttlSeconds: 60 });
    // More devices than are tried as probes, one every 15 minutes.
    consume(lane, [short, batch(releasedAt, { message: 'long', devices: 200 })]);
    await lane.pass(30 * SECOND);
    expect(failures(lane)).toEqual([]);
    await lane.pass(MINUTE);
    expect(failures(lane)).toEqual(['throttled']);
    await lane.pass(20 * 60 * MINUTE);
    expect(failures(lane).filter((name) => name === 'throttled')).toHaveLength(1);
    await lane.pass(5 * 60 * MINUTE);
    expect(failures(lane).filter((name) => name === 'throttled')).toHaveLength(2);
  });

  it('ends devices that only waited at the TTL of their language', async () => {
    const lane = new VirtualLane({ A: throttledUntil(Infinity, 900) });
    consume(lane, [batch(releasedAt, { message: 'first' })]);
    await lane.pass(2 * SECOND);
    const slices = ['de', 'en', 'fr'].map((language, number) => ({
      number,
      devices: [{ position: number, token: `${language};`, language }],
    }));
    const ttls = { de: 60, en: 600, fr: undefined };
    const various = Object.entries(ttls).map(([language, ttlSeconds]) =>
      LocaleSettings.fromPartial({ language, ios: { ttlSeconds } }),
    );
    const { credential } = batch(releasedAt);
    consume(lane, [
      sendBatch(slices, {
        application: 'A',
        message: 'various',
        credential,
        releasedAt: new Date(releasedAt),
        content: content({ settings: various }),
      }),
    ]);
    const ended: number[] = [];
    for (const at of [30 * SECOND, MINUTE, 10 * MINUTE]) {
      await lane.pass(at);
      ended.push(failures(lane).filter((name) => name === 'throttled').length);
    }
    expect(ended).toEqual([0, 1, 2]);
  });

  it('is not caused by a limit of one device, nor by an answer of another status', async () => {
    const one = (result: typeof tooMany): VirtualProvider => ({
      answer: (token) => (token === 'm-0;' ? { afterMs: 10, result, retryAfterMs: 600_000 } : { afterMs: 10 }),
    });
    const lane = new VirtualLane({ A: one(tooMany), B: one(unlisted(410, 'Gone')) });
    consume(lane, [batch(releasedAt), batch(releasedAt, { application: 'B' })]);
    await lane.pass(SECOND);
    const others = ['A', 'B'].map((application) => batch(releasedAt, { application, message: 'n', devices: 500 }));
    consume(lane, others);
    await lane.pass(SECOND);
    expect([lane.settledOf('A'), lane.settledOf('B')]).toEqual([1, 2]);
  });
});

describe('a message with a send rate (R-I11)', () => {
  it('is written at its rate by two applications together, repeats included', async () => {
    const refusedOnce = (): VirtualProvider => {
      const seen = new Set<string>();
      return {
        answer: (token) => (seen.has(token) ? { afterMs: 10 } : (seen.add(token), { afterMs: 10, result: busy })),
      };
    };
    const lane = new VirtualLane({ A: refusedOnce(), B: answering(10) });
    const rated = (application: string): SendBatch[] =>
      Array.from({ length: 4 }, (_, number) =>
        sendBatch(
          [
            {
              number,
              devices: Array.from({ length: 50 }, (_, i) => ({ position: number * 50 + i, token: `${number}-${i};` })),
            },
          ],
          {
            application,
            message: 'rated',
            sendRate: 100,
            releasedAt: new Date(releasedAt),
            credential: { application, platform: 1, version: 1 },
            content: content(),
          },
        ),
      );
    consume(lane, [...rated('A'), ...rated('B')]);
    await lane.pass(2 * MINUTE);
    expect([lane.settledOf('A'), lane.settledOf('B')]).toEqual([4, 4]);
    expect(lane.written).toHaveLength(600);
    const times = lane.written.map(({ at }) => at);
    const inSecondFrom = (from: number): number => times.filter((at) => at >= from && at < from + SECOND).length;
    expect(Math.max(...times.map(inSecondFrom))).toBeLessThanOrEqual(105);
    // The first 400 writes have no gap; repeats wait for a second and more.
    expect(times[399]! - times[0]!).toBeLessThan(4.4 * SECOND);
  });
});

describe('a batch that requests outcomes again', () => {
  it('is answered for settled slices, and sends nothing', async () => {
    const lane = new VirtualLane({ A: answering(10), B: answering(Infinity) });
    const waiting = batch(releasedAt, { application: 'B', message: 'waits' });
    consume(lane, [batch(releasedAt, { devices: 600 }), waiting]);
    await lane.pass(SECOND);
    const outcomes = (from: number) =>
      lane.outcomes
        .slice(from)
        .map(({ outcome }) => outcome)
        .toSorted((a, b) => a.number - b.number);
    const [written, first] = [lane.written.length, outcomes(0)];
    expect(first).toHaveLength(2);
    const unknown = batch(releasedAt, { message: 'unknown' });
    for (const again of [batch(releasedAt, { devices: 600 }), waiting, unknown]) {
      expect(await lane.dispatch.handle([{ ...again, outcomesAgain: true }])).toBe(1);
    }
    expect(lane.written).toHaveLength(written);
    expect(outcomes(2)).toEqual(first);
    expect(lane.attempts.byId.size).toBe(3);
  });
});
