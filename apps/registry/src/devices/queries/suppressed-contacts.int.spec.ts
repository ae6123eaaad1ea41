import { expect, it } from '@jest/globals';
import { defaultTags } from '@tidings/audience';
import { describeWithMongo } from '@tidings/testing';
import { hasCategory } from './suppressed-contacts.ts';

describeWithMongo('contacts without a category', (mongo) => {
  it('are found by its whole name, however long (R-E14)', async () => {
    const { number: k } = defaultTags.unsubscribedCategories;
    const names = ['N'.repeat(63), 'N'.repeat(64), 'N'.repeat(65), `${'N'.repeat(64)}2`];
    const contacts = mongo.db.collection<{ _id: string; tags: object[] }>('contacts');
    await contacts.insertMany(
      names.map((name) => ({
        _id: name,
        tags: [{ k, v: name.slice(0, 64), ...(name.length > 64 && { s: name }) }],
      })),
    );
    for (const name of names) {
      const found = await contacts.find({ tags: { $elemMatch: hasCategory(name) } }).toArray();
      expect(found.map(({ _id }) => _id)).toEqual([name]);
    }
  });
});
