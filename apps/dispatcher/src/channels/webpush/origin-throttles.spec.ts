import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@tidings/testing';
import { OriginThrottles } from './origin-throttles.ts';

const CAUSE = '429 TooManyRequests';
const [HERE, THERE] = ['https://push-a.example', 'https://push-b.example'];

function throttled(seconds = 10) {
  const clock = new TestClock();
  const throttles = new OriginThrottles(clock);
  throttles.close(HERE, seconds * 1000, CAUSE);
  return { clock, throttles };
}

describe('a throttled push service', () => {
  it('is not called until the end of the throttle, and no other one is affected', () => {
    const { clock, throttles } = throttled();
    expect(throttles.until(HERE)).toBe(clock.now() + 10_000);
    expect(throttles.until(THERE)).toBe(0);
    clock.advance(10);
    expect(throttles.until(HERE)).toBe(0);
  });

  it('is listed until its end with its reason, and may be lifted', () => {
    const { clock, throttles } = throttled();
    throttles.close(THERE, 60_000, CAUSE);
    clock.advance(10);
    expect(throttles.throttled()).toEqual([{ origin: THERE, until: clock.now() + 50_000, cause: CAUSE }]);
    expect([throttles.lift(), throttles.until(THERE), throttles.throttled()]).toEqual([true, 0, []]);
    expect(throttles.lift()).toBe(false);
  });

  it('is called again by one push, for which all others wait', () => {
    const { clock, throttles } = throttled();
    clock.advance(10);
    expect(throttles.isProbing(HERE)).toBe(false);
    throttles.written(HERE);
    expect(throttles.isProbing(HERE)).toBe(true);
    const resumed: string[] = [];
    throttles.whenProbed(HERE, () => resumed.push('a'));
    throttles.whenProbed(HERE, () => resumed.push('b'));
    throttles.answered(HERE);
    expect(resumed).toEqual(['a', 'b']);
    expect(throttles.isProbing(HERE)).toBe(false);
    expect(throttles.until(HERE)).toBe(0);
  });

  it('may ask to wait again, and the others follow', () => {
    const { clock, throttles } = throttled();
    clock.advance(10);
    throttles.written(HERE);
    let resumed = 0;
    throttles.whenProbed(HERE, () => resumed++);
    throttles.close(HERE, 5_000, CAUSE);
    expect(resumed).toBe(1);
    expect(throttles.isProbing(HERE)).toBe(false);
    expect(throttles.until(HERE)).toBe(clock.now() + 5_000);
  });

  it('is called by another push if the probe has no answer', () => {
    const { clock, throttles } = throttled();
    clock.advance(10);
    throttles.written(HERE);
    let resumed = 0;
    throttles.whenProbed(HERE, () => resumed++);
    throttles.returnProbe(HERE);
    expect(resumed).toBe(1);
    expect(throttles.isProbing(HERE)).toBe(false);
    throttles.written(HERE);
    expect(throttles.isProbing(HERE)).toBe(true);
  });

  it('is not released by answers to pushes that were written before', () => {
    const { clock, throttles } = throttled();
    throttles.answered(HERE);
    expect(throttles.until(HERE)).toBe(clock.now() + 10_000);
  });

  it('keeps the later of two ends', () => {
    const { clock, throttles } = throttled(60);
    throttles.close(HERE, 1_000, CAUSE);
    expect(throttles.until(HERE)).toBe(clock.now() + 60_000);
    throttles.close(HERE, 90_000, CAUSE);
    expect(throttles.until(HERE)).toBe(clock.now() + 90_000);
  });
});

describe('throttled push services', () => {
  it('are limited to 256: the first one is released, with those that wait for it', () => {
    const { clock, throttles } = throttled();
    clock.advance(10);
    throttles.written(HERE);
    let resumed = 0;
    throttles.whenProbed(HERE, () => resumed++);
    const origins = Array.from({ length: 255 }, (_, n) => `https://push-${n}.example`);
    for (const origin of origins) throttles.close(origin, 1_000, CAUSE);
    expect(resumed).toBe(0);
    throttles.close(THERE, 1_000, CAUSE);
    expect(resumed).toBe(1);
    expect(throttles.isProbing(HERE)).toBe(false);
    for (const origin of [...origins, THERE]) expect(throttles.until(origin)).toBe(clock.now() + 1_000);
  });
});
