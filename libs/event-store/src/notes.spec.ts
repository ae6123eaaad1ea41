import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyNotes, mergeNotes } from './notes.ts';
import type { Note } from './event-log-port.ts';

const address = { collection: 'c', id: 'a' };

describe('mergeNotes', () => {
  it('merges what can be one write', () => {
    const [document] = mergeNotes([
      { address, set: { a: 1, b: 1 }, max: { m: 1 } },
      { address, set: { a: 2 }, max: { m: 3, n: 1 } },
      { address, max: { m: 2 } },
    ]);
    expect(document!.updates).toHaveLength(1);
    expect(Object.fromEntries(document!.updates[0]!.set)).toEqual({ a: 2, b: 1 });
    expect(Object.fromEntries(document!.updates[0]!.max)).toEqual({ m: 3, n: 1 });
  });

  it('keeps documents apart, and drops empty notes', () => {
    const other = { collection: 'c', id: 'b' };
    expect(
      mergeNotes([
        { address, set: { a: 1 } },
        { address: other, set: { a: 1 } },
      ]),
    ).toHaveLength(2);
    expect(mergeNotes([{ address }, { address, set: { a: undefined } }])).toEqual([]);
  });

  it('comes to the same as one note after the other, and never touches a path twice in one write', () => {
    const path = fc.constantFrom('a', 'b', 'b.c', 'b.c.d', 'e');
    const object = fc.constant({});
    const note = fc.oneof(
      fc
        .tuple(path, fc.oneof(fc.integer({ min: 0, max: 9 }), object))
        .map(([key, value]): Note => ({ address, set: { [key]: value } })),
      fc
        .tuple(fc.constantFrom('e', 'f'), fc.integer({ min: 0, max: 9 }))
        .map(([key, value]): Note => ({ address, max: { [key]: value } })),
    );
    // Setting below a number is refused by a database, so objects come first.
    const legal = fc.array(note).map((notes) => [{ address, set: { b: { c: {} } } }, ...notes.filter(isLegal)]);
    fc.assert(
      fc.property(legal, (notes) => {
        const updates = (some: readonly Note[]) => mergeNotes(some).flatMap((document) => document.updates);
        const merged = updates(notes).reduce(applyNotes, {});
        const singly = notes.flatMap((one) => updates([one])).reduce(applyNotes, {});
        expect(merged).toEqual(singly);
        for (const { set, max } of updates(notes)) {
          const paths = [...set.keys(), ...max.keys()];
          expect(paths.some((one) => paths.some((two) => one !== two && one.startsWith(`${two}.`)))).toBe(false);
          expect(new Set(paths).size).toBe(paths.length);
        }
      }),
    );
  });
});

/** Numbers only at the ends, objects only above them. */
const isLegal = ({ set, max }: Note): boolean =>
  Object.entries(set ?? {}).every(([path, value]) =>
    path === 'b' ? false : path === 'b.c' ? typeof value === 'object' : typeof value === 'number',
  ) && Object.keys(max ?? {}).every((path) => path !== 'b');
