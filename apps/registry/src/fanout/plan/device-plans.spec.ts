import { describe, expect, it } from '@jest/globals';
import { ChunkPlanned } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { placeIn } from './device-plans.ts';

const set = (...positions: number[]): Buffer => Buffer.from(Bitmap.of(positions).encode());
const sendable = Array.from({ length: 1200 }, (_, i) => 10 + 2 * i);

describe('the place of a device in a plan', () => {
  const planned = ChunkPlanned.fromPartial({
    eligible: [{ platform: 3, set: set(1, ...sendable) }],
    excluded: [{ platform: 1, reason: 'CONTROL_GROUP', set: set(2) }],
    failed: [{ platform: 3, category: 'NO_TOKEN', code: '0', name: 'no_token', set: set(1) }],
    sendable: [{ platform: 3, variant: 'alert', set: set(...sendable) }],
  });

  it.each([
    [2, { platform: 1, excluded: 'CONTROL_GROUP', failure: undefined, slice: undefined }],
    [
      1,
      {
        ...{ platform: 3, excluded: '', slice: undefined },
        failure: { category: 'NO_TOKEN', code: '0', name: 'no_token' },
      },
    ],
    [10, { platform: 3, excluded: '', failure: undefined, slice: { variant: 'alert', number: 0 } }],
    [10 + 2 * 499, { platform: 3, excluded: '', failure: undefined, slice: { variant: 'alert', number: 0 } }],
    [10 + 2 * 500, { platform: 3, excluded: '', failure: undefined, slice: { variant: 'alert', number: 1 } }],
    [11, undefined],
  ])('of position %i', (position, place) => expect(placeIn(planned, position)).toEqual(place));

  it('counts slices by the size that the plan has', () => {
    const rated = { ...planned, sliceSize: 50 };
    expect(placeIn(rated, 10 + 2 * 149)?.slice?.number).toBe(2);
  });
});
