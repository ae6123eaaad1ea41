import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { positionsOfSlice, SLICE_SIZE, sliceCount, sliceId } from './slices.ts';

describe('slices', () => {
  it('cover every rank of a sendable set once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65_536 }), (devices) => {
        const positions = Uint16Array.from({ length: devices }, (_, rank) => rank);
        const slices = Array.from({ length: sliceCount(devices) }, (_, number) => positionsOfSlice(positions, number));
        expect(slices.every(({ length }) => length > 0 && length <= SLICE_SIZE)).toBe(true);
        expect(slices.flatMap((slice) => [...slice])).toEqual([...positions]);
      }),
      { numRuns: 30 },
    );
  });

  it('have immutable identities', () => {
    const recipientSet = {
      message: '0A-1',
      bucket: 2,
      application: 'AAAAA-00000',
      chunk: 3,
      platform: 1,
      variant: 'alert',
    };
    expect(sliceId({ ...recipientSet, number: 4 })).toBe('0A-1/2/AAAAA-00000/3/1/alert/4');
  });
});
