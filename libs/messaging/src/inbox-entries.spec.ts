import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stateAfterCall, type EntryState, inboxPage, mergedState, reachedState } from './inbox-entries.ts';

const call = (status: number, time: number, at = time) => ({ status, time, at });
const after = (...calls: ReturnType<typeof call>[]): EntryState =>
  calls.reduce<EntryState | undefined>(stateAfterCall, undefined)!;

describe('stateAfterCall', () => {
  it('sets 1, 2 and 3 from each of them, and 4 from any (R-S4)', () => {
    for (const from of [1, 2, 3]) {
      for (const to of [1, 2, 3, 4]) expect(after(call(from, 5), call(to, 6)).status).toBe(to);
    }
  });

  it('leaves a deleted entry deleted', () => {
    const deleted = after(call(4, 5));
    for (const status of [1, 2, 3, 4]) expect(stateAfterCall(deleted, call(status, 6))).toBe(deleted);
  });

  it('ignores a call that is older than the last one, but not one of the same time', () => {
    const opened = after(call(3, 5));
    expect(stateAfterCall(opened, call(1, 4, 9))).toBe(opened);
    expect(stateAfterCall(opened, call(1, 5, 9)).status).toBe(1);
    expect(stateAfterCall(reachedState(100), call(2, 4, 200)).status).toBe(2);
  });

  it('keeps the first time of each kind', () => {
    const state = after(call(3, 5, 50), call(1, 6, 60), call(3, 7, 70), call(4, 8, 80));
    expect(state).toEqual({ status: 4, calledAt: 8, reachedAt: 50, readAt: 50, openedAt: 50, deletedAt: 80 });
    expect(after(call(1, 5, 50))).toEqual({ status: 1, calledAt: 5, reachedAt: 50 });
  });
});

const calls = fc.array(fc.record({ status: fc.integer({ min: 1, max: 4 }), time: fc.nat(9), at: fc.nat(9) }), {
  minLength: 1,
});

describe('mergedState', () => {
  it('does not depend on the direction of the merge, unless both called at the same time (R-X2)', () => {
    fc.assert(
      fc.property(calls, calls, (some, others) => {
        const [a, b] = [after(...some), after(...others)];
        fc.pre(a.calledAt !== b.calledAt);
        expect(mergedState(a, b)).toEqual(mergedState(b, a));
        expect(mergedState(a, a)).toEqual(a);
      }),
    );
  });

  it('keeps a deletion and the later of two statuses', () => {
    expect(mergedState(after(call(4, 1)), after(call(3, 9))).status).toBe(4);
    expect(mergedState(after(call(2, 1)), after(call(3, 9))).status).toBe(3);
  });
});

describe('inboxPage', () => {
  const entry = (order: number, status = 1) => ({ order: BigInt(order), status });

  it('lists entries that are not deleted, newest first, and counts over all pages (R-J3, R-J4)', () => {
    const all = [entry(2), entry(5, 4), entry(9, 2), entry(7, 5), entry(4, 3), entry(3)];
    const page = inboxPage(all, undefined, 2);
    expect(page.entries.map(({ order }) => order)).toEqual([9n, 4n]);
    expect(page).toMatchObject({ deleted: [7n], newCount: 2 });
    expect(inboxPage(all, 4n, 0)).toMatchObject({ entries: [entry(3), entry(2)], deleted: [7n], newCount: 2 });
  });

  it('shows every entry once in a loop that ends at an empty page', () => {
    const orders = fc.uniqueArray(fc.bigInt({ min: 1n, max: 1_000n }));
    fc.assert(
      fc.property(orders, fc.integer({ min: 1, max: 7 }), (drawn, count) => {
        const all = drawn.map((order) => ({ order, status: 1 }));
        const shown: bigint[] = [];
        let before: bigint | undefined;
        for (let page = inboxPage(all, before, count); page.entries.length > 0; page = inboxPage(all, before, count)) {
          shown.push(...page.entries.map(({ order }) => order));
          before = shown.at(-1);
        }
        expect(shown).toEqual(drawn.toSorted((a, b) => (a > b ? -1 : 1)));
      }),
    );
  });
});
