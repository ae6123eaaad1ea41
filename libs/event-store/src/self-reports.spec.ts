import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applySelfReports, mergeSelfReports } from './self-reports.ts';
import type { SelfReport } from './event-log-port.ts';

const address = { collection: 'c', id: 'a' };

describe('mergeSelfReports', () => {
  it('merges self-reports that fit into one write', () => {
    const [document] = mergeSelfReports([
      { address, set: { a: 1, b: 1 }, max: { m: 1 } },
      { address, set: { a: 2 }, max: { m: 3, n: 1 } },
      { address, max: { m: 2 } },
    ]);
    expect(document!.updates).toHaveLength(1);
    expect(Object.fromEntries(document!.updates[0]!.set)).toEqual({ a: 2, b: 1 });
    expect(Object.fromEntries(document!.updates[0]!.max)).toEqual({ m: 3, n: 1 });
  });

  it('separates documents, and drops empty self-reports', () => {
    const other = { collection: 'c', id: 'b' };
    expect(
      mergeSelfReports([
        { address, set: { a: 1 } },
        { address: other, set: { a: 1 } },
      ]),
    ).toHaveLength(2);
    expect(mergeSelfReports([{ address }, { address, set: { a: undefined } }])).toEqual([]);
  });

  it('equals one self-report after the other, and never touches a path twice in one write', () => {
    const path = fc.constantFrom('a', 'b', 'b.c', 'b.c.d', 'e');
    const object = fc.constant({});
    const selfReport = fc.oneof(
      fc
        .tuple(path, fc.oneof(fc.integer({ min: 0, max: 9 }), object))
        .map(([key, value]): SelfReport => ({ address, set: { [key]: value } })),
      fc
        .tuple(fc.constantFrom('e', 'f'), fc.integer({ min: 0, max: 9 }))
        .map(([key, value]): SelfReport => ({ address, max: { [key]: value } })),
      fc
        .tuple(fc.constantFrom('e', 'f'), fc.integer({ min: 0, max: 9 }))
        .map(([key, value]): SelfReport => ({ address, add: { [key]: value } })),
    );
    // A database refuses to set a path below a number, so objects come first.
    const legal = fc
      .array(selfReport)
      .map((selfReports) => [{ address, set: { b: { c: {} } } }, ...selfReports.filter(isLegal)]);
    fc.assert(
      fc.property(legal, (selfReports) => {
        const updates = (some: readonly SelfReport[]) => mergeSelfReports(some).flatMap((document) => document.updates);
        const merged = updates(selfReports).reduce(applySelfReports, {});
        const singly = selfReports.flatMap((one) => updates([one])).reduce(applySelfReports, {});
        expect(merged).toEqual(singly);
        for (const { set, max, add } of updates(selfReports)) {
          const paths = [...set.keys(), ...max.keys(), ...add.keys()];
          expect(paths.some((one) => paths.some((two) => one !== two && one.startsWith(`${two}.`)))).toBe(false);
          expect(new Set(paths).size).toBe(paths.length);
        }
      }),
    );
  });
});

const isLegal = ({ set, max }: SelfReport): boolean =>
  Object.entries(set ?? {}).every(([path, value]) =>
    path === 'b' ? false : path === 'b.c' ? typeof value === 'object' : typeof value === 'number',
  ) && Object.keys(max ?? {}).every((path) => path !== 'b');
