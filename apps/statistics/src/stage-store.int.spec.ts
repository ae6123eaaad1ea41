import { expect, it } from '@jest/globals';
import { describeWithMongo } from '@tidings/testing';
import { openStageStore } from './stage-store.ts';

const DAY_MS = 86_400_000;

describeWithMongo('figures', (mongo) => {
  it('are removed without a message once they exceed the retention', async () => {
    const store = openStageStore(mongo.db);
    const groups = mongo.db.collection<{ _id: string; createdAt: Date }>('groups');
    const now = Date.now();
    await groups.insertMany([
      { _id: 'lost/A/1/0', createdAt: new Date(now - 367 * DAY_MS) },
      { _id: 'shown/A/1/0', createdAt: new Date(now - 364 * DAY_MS) },
    ]);
    await store.removeOrphans(new Date(now));
    expect((await groups.find().toArray()).map(({ _id }) => _id)).toEqual(['shown/A/1/0']);
  });
});
