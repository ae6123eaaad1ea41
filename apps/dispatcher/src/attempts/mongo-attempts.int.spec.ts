import { expect, it } from '@jest/globals';
import { claimed, noResults, untried } from '@tidings/delivery';
import { randomBase62 } from '@tidings/kernel';
import { collectionOf, createCollections } from '@tidings/mongo';
import { describeWithMongo } from '@tidings/testing';
import { attemptStoreFeatures } from './attempts.features.ts';
import { forgetAttempts, MongoAttempts } from './mongo-attempts.ts';
import { attemptsModel } from './attempts.schema.ts';

const direct = { lane: 'direct', credential: 'AAAAA-00000/1' } as const;
const me = { owner: 'me', round: 1 };

describeWithMongo('attempts', (mongo) => {
  const newModel = async (): Promise<typeof attemptsModel> => {
    const model = { ...attemptsModel, name: `attempts_${randomBase62(8)}` };
    await createCollections(mongo.db, [model]);
    return model;
  };
  const open = async (channel = 'apns'): Promise<MongoAttempts> =>
    new MongoAttempts(mongo.db, await newModel(), channel);

  attemptStoreFeatures('attempts on MongoDB', () => open());

  it('ignore results of a claim that a version without them has taken over', async () => {
    const model = await newModel();
    const store = new MongoAttempts(mongo.db, model, 'apns');
    await store.claim('w', direct, claimed('me', 1, noResults));
    const sent = { ...noResults, sent: [{ platform: 1, hour: 1, set: Buffer.of(), notDisplayable: Buffer.of() }] };
    await store.progress('w', me, sent);
    expect((await store.find('w'))?.results).toEqual(sent);
    await collectionOf(mongo.db, model).updateOne({ _id: 'w' }, { $set: { owner: 'older' }, $inc: { round: 1 } });
    expect(await store.find('w')).toEqual({ ...claimed('older', 1, noResults), round: 2 });
    expect(await store.takeOver('w', 'older', 'me')).toEqual({ ...claimed('me', 1, noResults), round: 3 });
  });

  it('share a write when they are claimed concurrently', async () => {
    const store = await open();
    const started = await mongo.db.admin().serverStatus();
    await Promise.all(Array.from({ length: 8 }, (_, i) => store.claim(`w${i}`, direct, claimed('a', 1, noResults))));
    const ended = await mongo.db.admin().serverStatus();
    const inserts = (status: typeof started): number =>
      (status['metrics'] as { commands: { insert: { total: number } } }).commands.insert.total;
    expect(Number(inserts(ended)) - Number(inserts(started))).toBe(1);
  });

  it('count the open and due slices of their channel', async () => {
    const store = await open();
    await store.claim('a', direct, claimed('me', 1, noResults));
    await store.claim('b', { ...direct, lane: 'broadcast' }, claimed('me', 1, noResults));
    const deferral = {
      batch: new Uint8Array([1]),
      progress: [{ ...untried, dueAt: 500 }],
      blockedUntil: 0,
      answersUntil: 0,
    };
    await store.defer('b', me, noResults, deferral);
    expect(await store.counts(499)).toEqual({ claimed: 1, due: 0, unpublished: 0 });
    expect(await store.counts(500)).toEqual({ claimed: 1, due: 1, unpublished: 0 });
    await store.finish('b', me, noResults, 500);
    await store.settle('a', me, noResults, 500);
    expect(await store.counts(500)).toEqual({ claimed: 0, due: 0, unpublished: 1 });
    await store.published('b');
    expect(await store.counts(500)).toEqual({ claimed: 0, due: 0, unpublished: 0 });
  });

  it('accept the same ending more than once', async () => {
    const store = await open();
    const deferral = { batch: new Uint8Array([1]), progress: [untried], blockedUntil: 0, answersUntil: 0 };
    const twice = async (write: () => Promise<boolean>): Promise<boolean[]> => [await write(), await write()];
    await store.claim('a', direct, claimed('me', 1, noResults));
    expect(await twice(() => store.defer('a', me, noResults, deferral))).toEqual([true, true]);
    expect(await twice(() => store.amend('a', me, noResults, deferral))).toEqual([true, true]);
    expect(await twice(() => store.finish('a', me, noResults, 9))).toEqual([true, true]);
  });

  it('are removed some time after they are settled, in bounded steps', async () => {
    const model = await newModel();
    const store = new MongoAttempts(mongo.db, model, 'apns');
    const attempts = collectionOf(mongo.db, model);
    for (const [id, at] of [
      ['a', 10],
      ['b', 20],
      ['c', 30],
    ] as const) {
      await store.claim(id, direct, claimed('me', 1, noResults));
      await store.settle(id, me, noResults, at);
    }
    await store.claim('open', direct, claimed('me', 1, noResults));
    expect(await forgetAttempts(attempts, 25, 1)).toBe(1);
    expect(await forgetAttempts(attempts, 25, 10)).toBe(1);
    expect(await forgetAttempts(attempts, 25, 10)).toBe(0);
    expect(await store.claim('c', direct, claimed('me', 1, noResults))).toMatchObject({ state: 'settled' });
  });

  it('are removed in the end if they were never settled', async () => {
    const store = await open();
    const deferral = { batch: new Uint8Array([1]), progress: [untried], blockedUntil: 0, answersUntil: 0 };
    for (const id of ['claimed', 'deferred', 'settled']) await store.claim(id, direct, claimed('me', 1, noResults));
    await store.defer('deferred', me, noResults, deferral);
    await store.settle('settled', me, noResults, 2);
    expect(await store.forgetUnsettled(0, 10)).toBe(0);
    const later = Date.now() + 1000;
    expect(await store.forgetUnsettled(later, 1)).toBe(1);
    expect(await store.forgetUnsettled(later, 10)).toBe(1);
    expect(await store.counts(later)).toEqual({ claimed: 0, due: 0, unpublished: 0 });
    expect(await store.claim('settled', direct, claimed('me', 1, noResults))).toMatchObject({ state: 'settled' });
  });
});
