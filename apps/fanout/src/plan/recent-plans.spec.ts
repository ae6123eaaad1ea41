import { describe, expect, it } from '@jest/globals';
import { planId, recipientSetId } from '@tidings/delivery';
import { ChunkPlanned } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { RecentPlans } from './recent-plans.ts';

describe('a recent plan', () => {
  const key = { message: 'M', bucket: 0, application: 'A', chunk: 0 };
  const id = planId(key);
  const set = recipientSetId({ ...key, platform: 3, variant: 'alert' });
  const settled = (...numbers: number[]) => new Map([[set, new Set(numbers)]]);

  function twoSlices(): RecentPlans {
    const plans = new RecentPlans();
    const recipients = Buffer.from(Bitmap.of(Array.from({ length: 600 }, (_, position) => position)).encode());
    const planned = ChunkPlanned.fromPartial({ sendable: [{ platform: 3, variant: 'alert', set: recipients }] });
    plans.add(key, { planned, badges: undefined }, new Date(0));
    return plans;
  }

  it('is settled by the slices of several batches of outcomes', () => {
    const plans = twoSlices();
    expect(plans.isSettledBy(id, settled(1))).toBe(false);
    plans.recordSettled(id, settled(1));
    expect(plans.isSettledBy(id, settled(1))).toBe(false);
    expect(plans.isSettledBy(id, settled(0))).toBe(true);
  });

  it('is settled by one batch', () => {
    expect(twoSlices().isSettledBy(id, settled(0, 1))).toBe(true);
  });

  it('has its settled slices buffered unless one was deferred', () => {
    const plans = twoSlices();
    expect(plans.mayBuffer(id)).toBe(true);
    plans.recordDeferred(id);
    expect([plans.mayBuffer(id), plans.mayBuffer('unknown')]).toEqual([false, false]);
  });

  it('counts nothing once it is forgotten', () => {
    const plans = twoSlices();
    plans.delete(id);
    plans.recordSettled(id, settled(0));
    expect(plans.isSettledBy(id, settled(0, 1))).toBe(false);
  });
});
