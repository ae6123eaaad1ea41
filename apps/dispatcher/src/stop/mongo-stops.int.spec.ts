import { expect, it } from '@jest/globals';
import { claimed, noResults, untried } from '@tidings/delivery';
import { collectionOf, createCollections } from '@tidings/mongo';
import { describeWithMongo } from '@tidings/testing';
import { attemptsModel } from '../attempts/attempts.schema.ts';
import { MongoAttempts } from '../attempts/mongo-attempts.ts';
import { forgetStops, mongoStops } from './mongo-stops.ts';
import { stopsModel } from './stops.schema.ts';

const NOW = 1_800_000_000_000;
const LATER = NOW + 600_000;

describeWithMongo('stops in MongoDB', (mongo) => {
  const opened = async (name: string) => {
    const db = mongo.database(name);
    await createCollections(db, [stopsModel, attemptsModel]);
    const stops = collectionOf(db, stopsModel);
    return { db, stops, store: mongoStops(stops, collectionOf(db, attemptsModel)) };
  };

  it('are stored once, in the order in which readers see them, and removed', async () => {
    const { stops, store } = await opened('order');
    expect(await store.add(['m'], NOW)).toEqual([{ message: 'm', at: NOW }]);
    expect(await store.add(['m', 'n'], NOW - 5_000)).toEqual(
      expect.arrayContaining([
        { message: 'm', at: NOW },
        { message: 'n', at: NOW + 1 },
      ]),
    );
    expect(await store.since(NOW)).toEqual([{ message: 'n', at: NOW + 1 }]);
    await forgetStops(stops, NOW + 1);
    expect(await store.since(0)).toEqual([{ message: 'n', at: NOW + 1 }]);
  });

  it('make the deferred slices of a message due, unless answers are awaited', async () => {
    const { db, store } = await opened('due');
    const attempts = new MongoAttempts(db, attemptsModel, 'apns');
    const defer = async (id: string, answersUntil = 0): Promise<void> => {
      const claim = claimed('me', NOW, noResults);
      await attempts.claim(id, { lane: 'broadcast', credential: 'A/1' }, claim);
      const progress = [{ ...untried, tries: 1, dueAt: LATER }];
      const deferral = { batch: new Uint8Array([1]), progress, blockedUntil: LATER, answersUntil };
      await attempts.defer(id, claim, noResults, deferral);
    };
    await defer('m/0/A/0/1/alert/0');
    await defer('m/1/A/0/1/alert/0');
    await defer('m/0/A/0/1/alert/1', LATER);
    await defer('mm/0/A/0/1/alert/0');
    await store.makeDue(['m'], NOW);
    const due = await attempts.due('broadcast', NOW, 10, []);
    expect(due.map(({ id }) => id).toSorted()).toEqual(['m/0/A/0/1/alert/0', 'm/1/A/0/1/alert/0']);
  });
});
