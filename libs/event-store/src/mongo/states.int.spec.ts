import { describeWithMongo } from '@tidings/testing';
import { MongoStates } from './states.ts';

interface Stored {
  readonly _id: string;
  readonly group: string;
  readonly self: { readonly open: number };
}

describeWithMongo('states', (mongo) => {
  it.each([3, 10_001])('are all found, without their notes, where there are %i', async (amount) => {
    const documents = Array.from({ length: amount }, (_, i) => ({ _id: `id${i}`, group: 'g', self: { open: i } }));
    await mongo.db.collection<Stored>(`states${amount}`).insertMany(documents);
    const found = await new MongoStates(mongo.db, 'self').find(`states${amount}`, 'group', ['g', 'other']);
    expect(found).toHaveLength(amount);
    expect(new Set(found.map(({ _id }) => _id)).size).toBe(amount);
    expect(found[0]).toEqual({ _id: 'id0', group: 'g' });
  });
});
