import { describe, expect, it } from '@jest/globals';
import { PlanEvent } from '@tidings/events';
import fc from 'fast-check';
import {
  advance,
  advanceJoins,
  areJoinsSettled,
  bucketsOf,
  isComplete,
  noProgress,
  progressDocument,
  progressOf,
} from './message-progress.ts';

const APP = 'AAAAA-BBBBB';
const planned = (...chunks: number[]): PlanEvent =>
  PlanEvent.fromPartial({ application: APP, event: { $case: 'fanout', value: { chunks } } });
const settled = (chunk: number): PlanEvent =>
  PlanEvent.fromPartial({ application: APP, event: { $case: 'settled', value: { chunk } } });

describe('progress of a message', () => {
  it('is complete when all of its steps are', () => {
    const ofStep = (bucket: number, event: PlanEvent): PlanEvent => ({ ...event, bucket });
    const first = [ofStep(1, planned(0)), ofStep(1, settled(0))].reduce(advance, noProgress);
    expect(isComplete(first, [APP], bucketsOf({ count: 1 }))).toBe(true);
    expect(isComplete(first, [APP], bucketsOf({ count: 2 }))).toBe(false);
    const both = [ofStep(2, settled(0)), ofStep(2, planned(0, 1)), ofStep(2, settled(1))].reduce(advance, first);
    expect(isComplete(both, [APP], bucketsOf({ count: 2 }))).toBe(true);
    expect(isComplete(both, [APP], bucketsOf(undefined))).toBe(false);
  });

  it('is complete when all planned chunks are settled, in any order and with repeats', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(500), { maxLength: 20 }).chain((chunks) => {
          const events = [planned(...chunks), ...chunks.map(settled)];
          return fc.tuple(fc.shuffledSubarray(events, { minLength: events.length }), fc.shuffledSubarray(events));
        }),
        ([events, repeats]) => {
          const all = [...events, ...repeats].reduce(advance, noProgress);
          expect(isComplete(all, [APP])).toBe(true);
          const withoutLast = events.slice(0, -1).reduce(advance, noProgress);
          expect(isComplete(withoutLast, [APP])).toBe(false);
          expect(isComplete(progressOf(progressDocument(all)), [APP])).toBe(true);
        },
      ),
    );
  });

  it('waits for every application', () => {
    const one = [planned(0), settled(0)].reduce(advance, noProgress);
    expect(isComplete(one, [APP, 'CCCCC-DDDDD'])).toBe(false);
  });
});

describe('progress of a message that recipients join', () => {
  it('counts each bucket once, in any order and with repeats', () => {
    const joined = fc.uniqueArray(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(
        joined.chain((buckets) => fc.tuple(fc.constant(buckets), fc.shuffledSubarray(buckets))),
        ([buckets, repeats]) => {
          const events = [...buckets, ...repeats].map((bucket) => ({ ...settled(0), bucket }));
          const progress = progressOf(progressDocument(events.reduce(advanceJoins, noProgress)));
          expect(areJoinsSettled(progress, buckets.length)).toBe(true);
          expect(areJoinsSettled(progress, buckets.length + 1)).toBe(false);
        },
      ),
    );
  });
});
