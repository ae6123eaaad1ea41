import { describe, expect, it } from '@jest/globals';
import { type Progress, untried } from './attempt.ts';
import { localResults, unlisted } from '@tidings/channels';
import { type WaitReason, type MessageTimes, type Wait, waitOf } from './waits.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_800_000_000_000;
const at = (now: number, fields: Partial<MessageTimes> = {}): MessageTimes => ({
  now: START + now,
  releasedAt: START,
  claimedAt: START,
  ttlSeconds: undefined,
  ...fields,
});
const throttle: WaitReason = { by: 'throttle', until: START + 48 * HOUR };
const refused = { ...localResults.unreachable, name: 'connection_refused' };
const down: WaitReason = { by: 'provider', until: START + 48 * HOUR, cause: refused };

function progressIn(wait: Wait): Progress {
  if (!('progress' in wait)) throw new Error('it has ended');
  return wait.progress;
}

describe('a device behind a throttle', () => {
  it('waits for 24 hours after the release if it was never tried', () => {
    expect(waitOf(untried, throttle, at(23 * HOUR))).toEqual({ progress: untried, until: START + 24 * HOUR });
    expect(waitOf(untried, throttle, at(24 * HOUR))).toEqual({ result: localResults.throttled });
  });

  it('waits until the TTL if it was never tried, shorter or longer', () => {
    expect(waitOf(untried, throttle, at(9000, { ttlSeconds: 10 }))).toMatchObject({ until: START + 10_000 });
    expect(waitOf(untried, throttle, at(10_000, { ttlSeconds: 10 }))).toEqual({ result: localResults.throttled });
    expect(waitOf(untried, throttle, at(25 * HOUR, { ttlSeconds: 172_800 }))).toMatchObject({
      until: START + 48 * HOUR,
    });
  });

  it('is due when the throttle ends', () => {
    const until = START + MINUTE;
    expect(waitOf(untried, { by: 'throttle', until }, at(0))).toEqual({ progress: untried, until });
  });

  it('ends an hour after its first try, with the result of that', () => {
    const last = unlisted(503, 'Busy');
    const tried = { ...untried, tries: 2, firstTriedAt: START + 2 * HOUR, last };
    expect(waitOf(tried, throttle, at(2.9 * HOUR))).toEqual({ progress: tried, until: START + 3 * HOUR });
    expect(waitOf(tried, throttle, at(3 * HOUR))).toEqual({ result: last });
  });
});

describe('a device without a connection', () => {
  it('ends an hour after the first connection failure, with its cause', () => {
    const wait = waitOf(untried, down, at(5 * HOUR));
    const progress = { ...untried, firstTriedAt: START + 5 * HOUR, last: refused };
    expect(wait).toEqual({ progress, until: START + 6 * HOUR });
    expect(waitOf(progress, down, at(6 * HOUR))).toEqual({ result: refused });
  });

  it('ends with the named cause of one worker, although the last worker has none', () => {
    const unknown: WaitReason = { ...down, cause: localResults.unreachable };
    const first = waitOf(untried, unknown, at(0));
    expect(first).toEqual({ progress: { ...untried, firstTriedAt: START }, until: START + HOUR });
    const second = waitOf(progressIn(first), down, at(MINUTE));
    expect(waitOf(progressIn(second), unknown, at(HOUR))).toEqual({ result: refused });
    expect(waitOf(progressIn(first), unknown, at(HOUR))).toEqual({ result: localResults.unreachable });
  });

  it('ends with the last named cause, and not with the refusal of an earlier attempt', () => {
    const unknown: WaitReason = { ...down, cause: localResults.unreachable };
    const refusal = { ...refused, category: 'INVALID_CONFIGURATION', code: '0x0D', name: 'ESME_RBINDFAIL' } as const;
    const first = progressIn(waitOf(untried, { ...down, cause: refusal }, at(0)));
    expect(waitOf(first, unknown, at(HOUR))).toEqual({ result: localResults.unreachable });
    const unnamed = { ...down, cause: { ...refused, name: 'dns_failed' } };
    const second = progressIn(waitOf(first, unnamed, at(MINUTE)));
    const third = progressIn(waitOf(second, down, at(2 * MINUTE)));
    expect(waitOf(third, unknown, at(HOUR))).toEqual({ result: refused });
  });

  it('ends at the TTL', () => {
    expect(waitOf(untried, down, at(20_000, { ttlSeconds: 20 }))).toEqual({ result: refused });
  });
});

describe('a device that waits for its turn', () => {
  const turn: WaitReason = { by: 'turn', until: START };

  it('is not ended by a short TTL, but 24 hours after the claim of its slice', () => {
    const times = { ttlSeconds: 1, releasedAt: START - 10 * HOUR };
    expect(waitOf(untried, turn, at(23 * HOUR, times))).toMatchObject({ progress: untried, until: START });
    expect(waitOf(untried, turn, at(24 * HOUR, times))).toEqual({ result: localResults.unreachable });
  });

  it('ends after a try as it would without waiting, on the schedule of its channel', () => {
    const last = unlisted(451, 'Later');
    const tried = { ...untried, tries: 3, firstTriedAt: START + 2 * HOUR, last };
    expect(waitOf(tried, turn, at(2.9 * HOUR))).toMatchObject({ progress: tried });
    expect(waitOf(tried, turn, at(3 * HOUR))).toEqual({ result: last });
    expect(waitOf(tried, turn, at(25 * HOUR, { retryForMs: 24 * HOUR }))).toMatchObject({ progress: tried });
  });
});
