import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ShiftedClock } from '@tidings/kernel';
import { TestClock } from '@tidings/testing';
import { MemoryThrottles } from '../testing/memory-store.ts';
import { type Throttler, Throttles } from './throttles.ts';

const KEY = 'apns/fingerprint';
const by = (version: number, reference = 'AAAAA-00000/1'): Throttler => ({ reference, version });

describe('a throttle', () => {
  let clock: ShiftedClock;
  let mine: Throttles;
  let theirs: Throttles;
  let lifted: string[];

  beforeEach(() => {
    clock = new ShiftedClock();
    const shared = new MemoryThrottles();
    const onError = (error: unknown): void => {
      throw error;
    };
    mine = new Throttles({ store: shared.over(), clock, onError });
    theirs = new Throttles({ store: shared.over(), clock, onError });
    lifted = [];
    theirs.onLifted((credential, references) => void lifted.push(`${credential} ${references.join()}`));
  });

  const close = async (ms: number): Promise<number> => {
    const until = clock.now() + ms;
    mine.close(KEY, until, '503 Busy', by(1));
    await theirs.refresh();
    return until;
  };

  it('applies to all senders with the credential, in other replicas after their next refresh', async () => {
    const until = await close(60_000);
    for (const each of [mine, theirs]) {
      expect(await each.pass(KEY, by(1, 'BBBBB-00000/1'))).toEqual({ until });
      expect(each.blockedUntil(KEY)).toBe(until);
      expect(await each.pass('apns/another', by(1))).toBe('open');
    }
  });

  it('keeps its end after the clock was set back, also while throttles are read', async () => {
    const steps = new TestClock();
    const store = new MemoryThrottles().over();
    const read = Promise.withResolvers<void>();
    const slow = { ...store, all: () => store.all().then((found) => read.promise.then(() => found)) };
    const throttles = new Throttles({ store: slow, clock: steps, onError: () => undefined });
    throttles.close(KEY, steps.now() + 5_000, '503 Busy', by(1));
    await setImmediate();
    const refreshed = throttles.refresh();
    steps.step(-300);
    steps.advance(5);
    throttles.close(KEY, steps.now() + 5_000, '503 Busy', by(1));
    await setImmediate();
    read.resolve();
    await refreshed;
    await throttles.refresh();
    expect(await throttles.pass(KEY, by(1))).toEqual({ until: steps.now() + 5_000 });
    steps.step(7_200);
    expect(await throttles.pass(KEY, by(1))).toEqual({ until: steps.now() + 5_000 });
    steps.advance(5);
    expect(await throttles.pass(KEY, by(1))).toBe('probe');
  });

  it('has its latest end when the write of an earlier one is late', async () => {
    const steps = new TestClock();
    const store = new MemoryThrottles().over();
    const first = Promise.withResolvers<void>();
    const waits = [first.promise];
    const close: typeof store.close = (...args) => (waits.pop() ?? Promise.resolve()).then(() => store.close(...args));
    const throttles = new Throttles({ store: { ...store, close }, clock: steps, onError: () => undefined });
    throttles.close(KEY, steps.now() + 5_000, '503 Busy', by(1));
    steps.step(-300);
    throttles.close(KEY, steps.now() + 6_000, '503 Busy', by(1));
    await setImmediate();
    first.resolve();
    await setImmediate();
    expect(await store.all()).toMatchObject([{ until: steps.now() + 6_000 }]);
  });

  it('ends with one probe of any sender', async () => {
    await close(1000);
    clock.advance(1000);
    const passages = [await theirs.pass(KEY, by(1)), await mine.pass(KEY, by(1)), await theirs.pass(KEY, by(1))];
    expect(passages).toEqual(['probe', { until: expect.any(Number) }, { until: expect.any(Number) }]);
    mine.lift(KEY);
    await theirs.refresh();
    expect(await theirs.pass(KEY, by(1))).toBe('open');
    expect(lifted).toEqual([`${KEY} AAAAA-00000/1`]);
  });

  it('continues when the probe is throttled, too', async () => {
    await close(1000);
    clock.advance(1000);
    expect(await mine.pass(KEY, by(1))).toBe('probe');
    const until = await close(5000);
    expect(await mine.pass(KEY, by(1))).toEqual({ until });
    clock.advance(5000);
    expect(await theirs.pass(KEY, by(1))).toBe('probe');
  });

  it('assigns the probe to another slice when it is returned, or when it has had no result for long', async () => {
    await close(1000);
    clock.advance(1000);
    expect(await mine.pass(KEY, by(1))).toBe('probe');
    mine.returnProbe(KEY, by(1));
    expect(await theirs.pass(KEY, by(1))).toBe('probe');
    expect(await mine.pass(KEY, by(1))).not.toBe('probe');
    clock.advance(60_000);
    expect(await mine.pass(KEY, by(1))).toBe('probe');
  });

  it('is lifted by later settings of the throttled application, not by those of others', async () => {
    const until = await close(60_000);
    expect(await theirs.pass(KEY, by(9, 'BBBBB-00000/1'))).toEqual({ until });
    expect(await theirs.pass(KEY, by(2))).toBe('open');
    await mine.refresh();
    expect(await mine.pass(KEY, by(1))).toBe('open');
    expect(lifted).toHaveLength(1);
  });

  it('is lifted everywhere a day after its end, when nothing is sent with its credential any more', async () => {
    const until = await close(60_000);
    clock.advance(60_000 + 24 * 3_600_000 - 5_000);
    await mine.refresh();
    await theirs.refresh();
    expect(theirs.throttled()).toMatchObject([{ credential: KEY, until }]);
    clock.advance(5_000);
    await mine.refresh();
    await theirs.refresh();
    expect([...mine.throttled(), ...theirs.throttled()]).toEqual([]);
    expect(lifted).toEqual([`${KEY} AAAAA-00000/1`]);
  });

  it('lasts as long as the longest request', async () => {
    const until = await close(60_000);
    await close(1000);
    expect(mine.blockedUntil(KEY)).toBe(until);
    expect(theirs.blockedUntil(KEY)).toBe(until);
  });
});
