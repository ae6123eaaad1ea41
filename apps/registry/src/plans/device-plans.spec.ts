import { describe, expect, it } from '@jest/globals';
import { ChunkPlanned } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { placementIn } from './device-plans.ts';

const set = (...positions: number[]): Buffer => Buffer.from(Bitmap.of(positions).encode());
const recipients = Array.from({ length: 1200 }, (_, i) => 10 + 2 * i);

describe('the placement of a device in a plan', () => {
  const pushed = {
    platform: 3,
    excluded: '',
    failure: undefined,
    slice: undefined,
    inboxOnly: false,
    inboxUntil: undefined,
  };
  const planned = ChunkPlanned.fromPartial({
    eligible: [{ platform: 3, set: set(1, ...recipients) }],
    excluded: [{ platform: 1, reason: 'CONTROL_GROUP', set: set(2) }],
    failed: [{ platform: 3, category: 'NO_TOKEN', code: '0', name: 'no_token', set: set(1) }],
    sendable: [{ platform: 3, variant: 'alert', set: set(...recipients) }],
  });

  it.each([
    [2, { ...pushed, platform: 1, excluded: 'CONTROL_GROUP' }],
    [
      1,
      {
        ...pushed,
        failure: { category: 'NO_TOKEN', code: '0', name: 'no_token' },
      },
    ],
    [10, { ...pushed, slice: { variant: 'alert', number: 0 } }],
    [10 + 2 * 499, { ...pushed, slice: { variant: 'alert', number: 0 } }],
    [10 + 2 * 500, { ...pushed, slice: { variant: 'alert', number: 1 } }],
    [11, undefined],
  ])('is that of its slice, its exclusion or its failure: position %i', (position, place) =>
    expect(placementIn(planned, position)).toEqual(place),
  );

  it('may be in the inbox beside the push, or in the inbox alone (R-H12)', () => {
    const saved = ChunkPlanned.fromPartial({
      ...planned,
      inbox: {
        removal: 1_800_000_001n,
        eligible: [{ platform: 1, set: set(5) }],
        excluded: [{ platform: 1, reason: 'CONTROL_GROUP', set: set(7) }],
      },
    });
    const inboxUntil = new Date(1_800_000_001_000);
    expect(placementIn(saved, 5)).toEqual({ ...pushed, platform: 1, inboxOnly: true, inboxUntil });
    expect(placementIn(saved, 7)).toEqual({ ...pushed, platform: 1, excluded: 'CONTROL_GROUP', inboxOnly: true });
    expect(placementIn(saved, 10)).toMatchObject({ slice: { number: 0 }, inboxOnly: false, inboxUntil });
    // A push that fails leaves its entry all the same (R-J2).
    expect(placementIn(saved, 1)).toMatchObject({ failure: { category: 'NO_TOKEN' }, inboxUntil });
    expect(placementIn(saved, 2)).toMatchObject({ excluded: 'CONTROL_GROUP', inboxOnly: false, inboxUntil: undefined });
    expect(placementIn(saved, 6)).toBeUndefined();
  });

  it('counts slices by the size that the plan has', () => {
    const rated = { ...planned, sliceSize: 50 };
    expect(placementIn(rated, 10 + 2 * 149)?.slice?.number).toBe(2);
  });
});
