import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databasePrefixOf } from '@tidings/mongo';
import { answered, connectToStore, platform, type StoredWorld } from '@tidings/testing';
import type { MongoClient } from 'mongodb';

const DAY_S = 86_400;
/** Longer than the interval of truncations, one minute. */
const PATIENCE_MS = 180_000;
/** Retention of the commits of each category in days, by database (R-LM3). */
const kept: Readonly<Record<string, number>> = {
  'registry accounts': 365,
  'registry devices': 30,
  'registry fanouts': 30,
  'registry plans': 365,
  'registry visits': 30,
  'scheduler messages': 365,
  'audience_jobs jobs': 30,
};

let world: StoredWorld;
let mongo: MongoClient;
let application: string;

beforeAll(async () => {
  world = await platform();
  mongo = await connectToStore(world.mongoUrl);
  application = await world.application({ title: 'Kept', ios: true, android: false });
});
afterAll(async () => {
  await mongo?.close();
  await world?.stop();
});

/** Categories with commits from before a time, except those of webhooks, which have a separate retention. */
async function committedBefore(time: Date): Promise<string[]> {
  const prefix = databasePrefixOf(world.mongoUrl);
  const { databases } = await mongo.db('admin').admin().listDatabases();
  const found: string[] = [];
  for (const { name } of databases) {
    if (!name.startsWith(`${prefix}_`) || name.endsWith('_webhooks')) continue;
    for (const { name: collection } of await mongo.db(name).listCollections().toArray()) {
      if (!collection.endsWith('.commits')) continue;
      if (
        (await mongo
          .db(name)
          .collection(collection)
          .findOne({ at: { $lt: time } })) !== null
      )
        found.push(`${name.slice(prefix.length + 1)} ${collection.replace('.commits', '')}`);
    }
  }
  return found.sort();
}

/** Writes to every category and ends with a message that is sent. */
async function act(hwid: string): Promise<void> {
  await world.call('registerDevice', { application, hwid, device_type: 1, push_token: 'a'.repeat(64) });
  const place = { lat: 52.5, lng: 13.4, name: hwid, cooldown: 0, range: 100, content: 'Here' };
  await world.call('addGeoZone', { application, geozones: [place] });
  await world.call('getNearestZone', { application, hwid, lat: 52.5, lng: 13.4 });
  await world.call('bulkSetTags', { application, devices: [{ hwid, tags: { Language: 'de' } }] });
  const notifications = [{ content: 'Hello', devices: [hwid] }];
  const transactionId = randomUUID();
  const { Messages } = await answered(() => world.call('createMessage', { application, notifications, transactionId }));
  await world.settle();
  expect(Messages).toHaveLength(1);
}

/** The platform's time after all previous actions. */
const moment = async (): Promise<Date> => new Date((await world.call('advanceClock', { advance_seconds: 1 })).now);

describe('commits of the logs', () => {
  it('are kept as long as what rests on them, and no longer', async () => {
    await act('first');
    const afterFirst = await moment();
    expect(await committedBefore(afterFirst)).toEqual(Object.keys(kept).sort());
    await world.advance(340 * DAY_S);
    await act('second');
    const afterSecond = await moment();
    expect(await committedBefore(afterSecond)).toEqual(Object.keys(kept).sort());
    await world.advance(31 * DAY_S);
    const forFigures = Object.keys(kept).filter((category) => kept[category] === 365);
    const expected = [[], forFigures.sort()];
    const left = (): Promise<string[][]> => Promise.all([afterFirst, afterSecond].map(committedBefore));
    const giveUpAt = performance.now() + PATIENCE_MS;
    let found = await left();
    while (JSON.stringify(found) !== JSON.stringify(expected) && performance.now() < giveUpAt) {
      await delay(500);
      found = await left();
    }
    expect(found).toEqual(expected);
  }, 240_000);

  it('leave the states, with which everything goes on', async () => {
    expect(await world.call('checkDevice', { application, hwid: 'first' })).toMatchObject({ exist: true });
    await act('first');
  });
});
