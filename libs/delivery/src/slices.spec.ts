import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ranksOf, sliceCount, sliceId } from './slices.ts';

describe('slices', () => {
  it('cover every rank once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65_536 }), (devices) => {
        const ranges = Array.from({ length: sliceCount(devices) }, (_, w) => ranksOf(w, devices));
        let next = 0;
        for (const { from, to } of ranges) {
          expect(from).toBe(next);
          expect(to).toBeGreaterThan(from);
          expect(to - from).toBeLessThanOrEqual(500);
          next = to;
        }
        expect(next).toBe(devices);
      }),
    );
  });

  it('are named by what never changes', () => {
    const slice = { message: '0A-1', bucket: 2, application: 'AAAAA-00000', chunk: 3, channel: 'apns', w: 4 };
    expect(sliceId(slice)).toBe('0A-1/2/AAAAA-00000/3/apns/4');
  });
});
