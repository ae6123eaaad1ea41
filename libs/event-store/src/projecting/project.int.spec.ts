import type { Collection, Document } from 'mongodb';
import { describeWithMongo } from '@tidings/testing';
import { project, type ProjectedDocument, type Projection } from './project.ts';
import { RecentParts } from './recent-parts.ts';

interface SeenFact {
  readonly id: string;
  readonly position: number;
}

const union = (stored: Document | undefined, facts: readonly SeenFact[]): Document => ({
  seen: [
    ...new Set([...((stored?.['seen'] as number[] | undefined) ?? []), ...facts.map(({ position }) => position)]),
  ].sort((a, b) => a - b),
});
const whole: Projection<SeenFact> = { idOf: ({ id }) => id, apply: union };
const ofTwoTopics: Projection<SeenFact> = {
  ...whole,
  partOf: ({ position }) => (position % 2 === 0 ? 'even' : 'odd'),
  onInsert: ({ position }) => ({ first: position }),
};
const recording = (stored: (Document | undefined)[]): Projection<SeenFact> => ({
  ...ofTwoTopics,
  apply: (before, given) => {
    stored.push(before);
    return union(before, given);
  },
});
const facts = (id: string, ...numbers: number[]): SeenFact[] => numbers.map((position) => ({ id, position }));

describeWithMongo('project', (mongo) => {
  const collection = (name: string) => mongo.db.collection<ProjectedDocument>(name);
  const into = ({ collectionName }: Collection<ProjectedDocument>) => ({ db: mongo.db, collection: collectionName });

  it('applies the facts of many documents, and returns the stored documents', async () => {
    const documents = collection('whole');
    await project(into(documents), [...facts('a', 1, 2), ...facts('b', 3)], whole);
    const stored = await project(into(documents), facts('a', 2, 4), whole);
    expect(stored.get('a')).toEqual({ seen: [1, 2, 4], rev: 2 });
    expect(await documents.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 'a', seen: [1, 2, 4], rev: 2 },
      { _id: 'b', seen: [3], rev: 1 },
    ]);
  });

  it('loses no facts of concurrent writers of the same documents', async () => {
    const documents = collection('contended');
    const numbers = Array.from({ length: 60 }, (_, i) => i);
    await Promise.all(numbers.map((n) => project(into(documents), facts(`d${n % 2}`, n), whole)));
    const found = await documents.find().sort({ _id: 1 }).toArray();
    expect(found.map((document): unknown => document['seen'])).toEqual([
      numbers.filter((n) => n % 2 === 0),
      numbers.filter((n) => n % 2 === 1),
    ]);
  });

  it('keeps parts separate, in either order', async () => {
    const documents = collection('parts');
    await Promise.all([1, 2, 3, 4, 5, 6].map((n) => project(into(documents), facts('a', n), ofTwoTopics)));
    expect(await documents.findOne({ _id: 'a' })).toMatchObject({
      even: { seen: [2, 4, 6], rev: 3 },
      odd: { seen: [1, 3, 5], rev: 3 },
      first: expect.any(Number) as number,
    });
  });

  it('applies facts to its last write without reading it, and reads a later write of another process', async () => {
    const documents = collection('recent');
    const stored: (Document | undefined)[] = [];
    const caching: Projection<SeenFact> = { ...recording(stored), recent: new RecentParts(10) };
    await project(into(documents), facts('a', 2), caching);
    await project(into(documents), facts('a', 4), caching);
    const previous = stored[1];
    await project(into(documents), facts('a', 6), ofTwoTopics);
    await project(into(documents), facts('a', 8), caching);
    expect(previous).toEqual({ seen: [2], rev: 1 });
    // First the refused cached part, then the stored one.
    expect(stored.slice(2)).toEqual([
      { seen: [2, 4], rev: 2 },
      { seen: [2, 4, 6], rev: 3 },
    ]);
    expect(await documents.findOne({ _id: 'a' })).toMatchObject({ even: { seen: [2, 4, 6, 8], rev: 4 } });
  });

  it('applies facts of a probably new part without reading it, and again to the earlier stored part', async () => {
    const documents = collection('probably-new');
    const stored: (Document | undefined)[] = [];
    const guessing: Projection<SeenFact> = { ...recording(stored), isProbablyNew: (part) => part === 'even' };
    await project(into(documents), facts('a', 1, 2), ofTwoTopics);
    await project(into(documents), [...facts('a', 4), ...facts('b', 6)], guessing);
    expect(stored).toEqual([undefined, undefined, { seen: [2], rev: 1 }]);
    await project(into(documents), facts('c', 1), ofTwoTopics);
    await project(into(documents), facts('c', 8), guessing);
    expect(stored.slice(3)).toEqual([undefined]);
    expect(await documents.find().sort({ _id: 1 }).toArray()).toMatchObject([
      { odd: { seen: [1], rev: 1 }, even: { seen: [2, 4], rev: 2 } },
      { even: { seen: [6], rev: 1 } },
      { odd: { seen: [1], rev: 1 }, even: { seen: [8], rev: 1 } },
    ]);
  });

  describe('two versions, the newer one with another kind of fact and another field', () => {
    interface Both extends SeenFact {
      readonly kind?: 'weighed';
    }
    const sums = (stored: Document | undefined, given: readonly SeenFact[]): Document => {
      const by = { ...(stored?.['by'] as Record<string, { times: number }> | undefined) };
      for (const { position } of given) by[`k${position % 2}`] = { times: (by[`k${position % 2}`]?.times ?? 0) + 1 };
      return { by: Object.fromEntries(Object.entries(by).map(([key, { times }]) => [key, { times }])) };
    };
    const older: Projection<SeenFact> = { idOf: ({ id }) => id, apply: sums };
    const newer: Projection<Both> = {
      ...older,
      apply(stored, given) {
        const weighed = given.filter(({ kind }) => kind === 'weighed');
        const { by } = sums(
          stored,
          given.filter(({ kind }) => kind === undefined),
        ) as { by: Record<string, Document> };
        const before = (stored?.['by'] ?? {}) as Record<string, { weight?: number }>;
        for (const { position } of weighed) {
          const key = `k${position % 2}`;
          by[key] = { times: 0, ...by[key], weight: (before[key]?.weight ?? 0) + position };
        }
        return { by, weighed: Number(stored?.['weighed'] ?? 0) + weighed.length };
      },
    };
    const inParts = <Fact>(projection: Projection<Fact>): Projection<Fact> => ({
      ...projection,
      partOf: () => 'part',
      recent: new RecentParts(10),
    });
    const weighed = (id: string, ...numbers: number[]): Both[] =>
      numbers.map((position) => ({ id, position, kind: 'weighed' as const }));

    it.each([
      ['as a whole', 'older'],
      ['as a whole', 'newer'],
      ['in parts', 'older'],
      ['in parts', 'newer'],
    ])('lose nothing of each other: %s, the %s one first', async (how, first) => {
      const documents = collection(`versions-${how}-${first}`);
      const [old, young] = how === 'in parts' ? [inParts(older), inParts(newer)] : [older, newer];
      const writes = [
        () => project(into(documents), facts('a', 1, 3, 2), old),
        () => project(into(documents), weighed('a', 5, 4), young),
      ];
      for (const write of first === 'older' ? writes : writes.toReversed()) await write();
      await project(into(documents), facts('a', 7), old);
      await project(into(documents), weighed('a', 9), young);
      await project(into(documents), facts('a', 8), old);
      const stored = await documents.findOne({ _id: 'a' });
      expect((how === 'in parts' ? stored?.['part'] : stored) as unknown).toMatchObject({
        by: { k0: { times: 2, weight: 4 }, k1: { times: 3, weight: 14 } },
        weighed: 3,
      });
    });
  });

  it('writes the parts of a document together', async () => {
    const documents = collection('together');
    const both: Projection<SeenFact> = { ...ofTwoTopics, recent: new RecentParts(10) };
    await project(into(documents), facts('a', 1, 2), both);
    await Promise.all([
      project(into(documents), facts('a', 3, 4), both),
      project(into(documents), facts('a', 5), ofTwoTopics),
    ]);
    expect(await documents.findOne({ _id: 'a' })).toMatchObject({ odd: { seen: [1, 3, 5] }, even: { seen: [2, 4] } });
  });
});
