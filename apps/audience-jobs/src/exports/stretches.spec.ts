import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { extentOf, stretchOf } from './stretches.ts';

const CHUNK = 65_536;
const application = fc.record({ code: fc.string(), numbers: fc.nat(200_000) });

describe('the parts of an export', () => {
  it('cover every number once, in order, each within one chunk', () => {
    fc.assert(
      fc.property(fc.array(application, { maxLength: 4 }), (applications) => {
        const { parts, numbers } = extentOf({ applications });
        const stretches = Array.from({ length: parts }, (_, part) => stretchOf({ applications }, part));
        const seen = stretches.flatMap((stretch) => stretch ?? []);
        for (const { from, to } of seen) expect(Math.floor(from / CHUNK)).toBe(Math.floor((to - 1) / CHUNK));
        const joined = seen.reduce<{ application: string; from: number; to: number }[]>(
          (all, { application: code, from, to }) => {
            const last = all.at(-1);
            if (last && from > 0) {
              expect([last.application, last.to]).toEqual([code, from]);
              last.to = to;
            } else all.push({ application: code, from, to });
            return all;
          },
          [],
        );
        const expected = applications.filter((each) => each.numbers > 0);
        expect(joined).toEqual(expected.map(({ code, numbers: to }) => ({ application: code, from: 0, to })));
        const looked = seen.reduce((sum, { from, to }) => sum + to - from, 0);
        expect(numbers).toBe(Math.max(1, looked));
      }),
    );
  });

  it('are one for an empty export', () => {
    expect(extentOf({ applications: [] })).toEqual({ parts: 1, numbers: 1 });
    expect(stretchOf({ applications: [] }, 0)).toBeUndefined();
  });
});
