import { expect, it } from '@jest/globals';
import { collectionOf, createCollections } from '@tidings/mongo';
import { describeWithMongo } from '@tidings/testing';
import { pacesModel } from './pace.schema.ts';
import { forgetPaces, mongoPaces } from './mongo-paces.ts';

const NOW = 1_800_000_000_000;

describeWithMongo('reserved time in MongoDB', (mongo) => {
  const opened = async () => {
    await createCollections(mongo.db, [pacesModel]);
    const paces = collectionOf(mongo.db, pacesModel);
    return { paces, store: mongoPaces(paces) };
  };

  it('belongs to one of many that reserve at once', async () => {
    const { store } = await opened();
    const reserved = await Promise.all(
      Array.from({ length: 40 }, (_, i) => store.reserve('m', 10 + (i % 3), NOW, Infinity)),
    );
    const periods = reserved
      .map((each, i) => ({ from: 'from' in each ? each.from : NaN, length: 10 + (i % 3) }))
      .sort((a, b) => a.from - b.from);
    expect(periods[0]!.from).toBe(NOW);
    for (let i = 1; i < periods.length; i++)
      expect(periods[i]!.from).toBe(periods[i - 1]!.from + periods[i - 1]!.length);
  });

  it('is not reserved too far ahead, begins no earlier than now, and is removed after a day', async () => {
    const { paces, store } = await opened();
    expect(await store.reserve('n', 500, NOW, NOW + 400)).toEqual({ from: NOW });
    expect(await store.reserve('n', 100, NOW, NOW + 400)).toEqual({ nextFrom: NOW + 500 });
    expect(await store.reserve('n', 100, NOW + 100, NOW + 500)).toEqual({ from: NOW + 500 });
    expect(await store.reserve('n', 100, NOW + 9_000, NOW + 9_400)).toEqual({ from: NOW + 9_000 });
    await forgetPaces(paces, NOW + 9_000 + 86_400_000);
    expect(await paces.countDocuments({ _id: 'n' })).toBe(1);
    await forgetPaces(paces, NOW + 9_200 + 86_400_000);
    expect(await paces.countDocuments({ _id: 'n' })).toBe(0);
  });
});
