import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { emittedUntilWith, pacedLimits, pacedSlices } from './pacing.ts';
import { settledBit } from './slice-status.ts';
import { RATED_SLICE_SIZE } from './slices.ts';

const NOW = 1_800_000_000_000;
const rates = fc.integer({ min: 100, max: 1000 });

describe('pacing', () => {
  it('emits at the rate, at most a second and a slice ahead', () => {
    fc.assert(
      fc.property(
        rates,
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 5, maxLength: 60 }),
        (rate, pauses) => {
          let until = 0;
          let now = NOW;
          let devices = 0;
          for (const pause of pauses) {
            const { slices } = pacedLimits(rate, until, now);
            until = emittedUntilWith(slices, rate, until, now);
            devices += slices * RATED_SLICE_SIZE;
            expect(until - now).toBeLessThanOrEqual(1_000);
            expect(until - now).toBeGreaterThan(1_000 - (RATED_SLICE_SIZE * 1_000) / rate);
            now += pause;
          }
          expect(devices).toBeLessThanOrEqual(((now - NOW) * rate) / 1_000 + rate);
        },
      ),
    );
  });

  it('emits no more of a set whose slices are not sent, except deferred ones', () => {
    const { word, bit } = settledBit(0);
    const emitted = Object.fromEntries([0, 1, 2, 3].map((number) => [number, [0, number, NOW] as const]));
    const due = [4, 5, 6];
    const of = (inFlight: number, deferred = {}) =>
      pacedSlices(due, { emitted, deferred, settled: { [word]: bit } }, 7, { slices: 2, inFlight });
    expect(of(3)).toEqual([]);
    expect(of(4)).toEqual([4]);
    expect(of(9)).toEqual([4, 5]);
    expect(of(3, { 1: NOW + 60_000, 2: NOW + 60_000 })).toEqual([4, 5]);
  });
});
