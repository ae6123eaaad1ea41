import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databasePrefixOf } from '@tidings/mongo';
import { startSubscriber, type Subscriber } from '@tidings/simulators';
import { retryUntilAnswered, connectToStore, platform, type StoredWorld } from '@tidings/testing';
import type { MongoClient } from 'mongodb';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
/** Longer than the interval of truncations, one minute. */
const TIMEOUT_MS = 180_000;
/** Hours by category and database (R-LM3). */
const kept: Readonly<Record<string, number>> = {
  'audience_jobs jobs': 30 * 24,
  'registry accounts': 365 * 24,
  'registry devices': 30 * 24,
  'registry fanouts': 30 * 24,
  'registry plans': 365 * 24,
  'registry visits': 30 * 24,
  'scheduler messages': 365 * 24,
  'webhooks webhooks': 73,
};
const retainedFor = (hours: number): string[] => Object.keys(kept).filter((category) => kept[category]! > hours);

let world: StoredWorld;
let subscriber: Subscriber;
let mongo: MongoClient;
let application: string;
let withoutDevices: string;

beforeAll(async () => {
  world = await platform({ isAlone: true });
  mongo = await connectToStore(world.mongoUrl);
  subscriber = await startSubscriber();
  application = await world.application({ title: 'Kept', ios: true, android: false });
  withoutDevices = await world.application({ title: 'Empty', ios: true, android: false });
  await world.call('createSubscription', { endpoint: subscriber.endpoint, events: ['Push Sent'] });
});
afterAll(async () => {
  await mongo?.close();
  await world?.stop();
  subscriber?.down();
});

interface Period {
  readonly $gte: Date;
  readonly $lt: Date;
}

async function committedIn(at: Period): Promise<string[]> {
  const prefix = databasePrefixOf(world.mongoUrl);
  const { databases } = await mongo.db('admin').admin().listDatabases();
  const found: string[] = [];
  for (const { name } of databases) {
    if (!name.startsWith(`${prefix}_`)) continue;
    for (const { name: collection } of await mongo.db(name).listCollections().toArray()) {
      if (!collection.endsWith('.commits')) continue;
      if ((await mongo.db(name).collection(collection).findOne({ at })) !== null)
        found.push(`${name.slice(prefix.length + 1)} ${collection.replace('.commits', '')}`);
    }
  }
  return found.sort();
}

async function act(hwid: string): Promise<void> {
  const device = { application, hwid, device_type: 1, push_token: 'a'.repeat(64) };
  await retryUntilAnswered(() => world.call('registerDevice', device));
  const place = { lat: 52.5, lng: 13.4, name: hwid, cooldown: 0, range: 100, content: 'Here' };
  await retryUntilAnswered(() => world.call('addGeoZone', { application, geozones: [place] }));
  await world.call('getNearestZone', { application, hwid, lat: 52.5, lng: 13.4 });
  const tagged = [{ hwid, tags: { Language: 'de' } }];
  await retryUntilAnswered(() => world.call('bulkSetTags', { application, devices: tagged }));
  const notifications = [{ content: 'Hello' }];
  const transactionId = randomUUID();
  const { Messages } = await retryUntilAnswered(() =>
    world.call('createMessage', { application, notifications, transactionId }),
  );
  // The fan-outs of small applications are committed with their plans (ADR 80), but this one has none.
  await retryUntilAnswered(() => world.call('createMessage', { application: withoutDevices, notifications }));
  await world.settle();
  expect(Messages).toHaveLength(1);
}

const later = async (seconds: number): Promise<Date> =>
  new Date((await world.call('advanceClock', { advance_seconds: seconds })).now);

async function periodOf(hwid: string): Promise<Period> {
  const $gte = await later(1);
  await act(hwid);
  const period = { $gte, $lt: await later(1) };
  expect(await committedIn(period)).toEqual(Object.keys(kept));
  return period;
}

describe('commits of the logs', () => {
  it('are stored as long as any data refer to them, and no longer', async () => {
    const yearOld = await periodOf('first');
    await world.advance(340 * DAY_S);
    const monthOld = await periodOf('second');
    await world.advance(31 * DAY_S - 74 * HOUR_S);
    // One truncation tells the last two apart: the clock has no time between them.
    const olderThanEvents = await periodOf('third');
    await world.advance(2 * HOUR_S);
    const asOldAsEvents = await periodOf('fourth');
    await world.advance(72 * HOUR_S);
    const periods = [yearOld, monthOld, olderThanEvents, asOldAsEvents];
    const expected = [retainedFor(371 * 24), retainedFor(31 * 24), retainedFor(74), retainedFor(72)];
    const left = (): Promise<string[][]> => Promise.all(periods.map(committedIn));
    const giveUpAt = performance.now() + TIMEOUT_MS;
    let found = await left();
    while (JSON.stringify(found) !== JSON.stringify(expected) && performance.now() < giveUpAt) {
      await delay(500);
      found = await left();
    }
    expect(found).toEqual(expected);
  }, 240_000);

  it('are not needed to continue from the states', async () => {
    expect(await world.call('checkDevice', { application, hwid: 'first' })).toMatchObject({ exist: true });
    await act('first');
  });
});
