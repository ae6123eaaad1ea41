import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databasePrefixOf } from '@tidings/mongo';
import { listedMessage, connectToStore, platform, storedText, type StoredWorld, untilDone } from '@tidings/testing';
import type { MongoClient } from 'mongodb';
import { PNG } from 'pngjs';

const DAY_S = 86_400;
const REMOVAL_TIMEOUT_MS = 60_000;
const TIMEOUT_MS = 180_000;

let world: StoredWorld;
let mongo: MongoClient;

beforeAll(async () => {
  // Whole collections are inspected.
  world = await platform({ isAlone: true });
  mongo = await connectToStore(world.mongoUrl);
});
afterAll(async () => {
  await mongo?.close();
  await world?.stop();
});

const inService = (service: string) => mongo.db(`${databasePrefixOf(world.mongoUrl)}_${service}`);
/** Without the log, which keeps its topics for as long as Kafka does. */
const stored = (text: string): Promise<string[]> =>
  storedText(world.mongoUrl, text, (database) => !/_(log|system)$/.test(database));
async function locationsOf(text: string, isExpected: (places: readonly string[]) => boolean): Promise<string[]> {
  for (const until = Date.now() + REMOVAL_TIMEOUT_MS; ;) {
    const places = [...new Set((await stored(text)).map((place) => place.slice(0, place.indexOf(': '))))].sort();
    if (isExpected(places) || Date.now() > until)
      return places.map((place) => place.slice(databasePrefixOf(world.mongoUrl).length + 1));
    await delay(500);
  }
}
async function remainingIn(service: string, collection: string): Promise<number> {
  for (const until = Date.now() + 2 * REMOVAL_TIMEOUT_MS; ; await delay(500)) {
    const left = await inService(service).collection(collection).countDocuments();
    if (left === 0 || Date.now() > until) return left;
  }
}
const gone = (text: string): Promise<string[]> => locationsOf(text, ({ length }) => length === 0);

const picture = (): string => {
  const png = new PNG({ width: 8, height: 8 });
  png.data.set(randomBytes(png.data.length));
  return PNG.sync.write(png).toString('base64');
};
const send = async (application: string, notification: object): Promise<string> => {
  const { Messages } = await world.call('createMessage', { application, notifications: [{ ...notification }] });
  return Messages[0]!;
};
const registerTwo = (application: string, prefix: string): Promise<void> =>
  world.registerDevices(application, 2, (i) => ({
    hwid: `${prefix}-${i}`,
    device_type: 3,
    push_token: `accepted-${prefix}-${i}`,
  }));

describe('deleteApplication (R-B2)', () => {
  it(
    'purges the data of the application in every service',
    async () => {
      const application = await world.application({ title: 'Purged' });
      await world.call('updateApplication', { application, icon: picture() });
      await registerTwo(application, 'purged');
      await world.call('createPreset', {
        name: 'p',
        applicationCode: application,
        content: { message: 'purged content' },
        segmentation: { platforms: [3] },
      });
      const code = await send(application, {
        content: 'purged content',
        link: 'https://example.com/purged-link',
        minimize_link: 1,
      });
      await send(application, { content: 'purged content', devices: ['purged-0'] });
      await untilDone(world, application, code);
      await world.call('bulkSetTags', {
        application,
        devices: [{ hwid: 'purged-0', tags: { City: 'purged-city' } }],
      });
      await world.settle();
      expect((await stored('purged content')).length).toBeGreaterThan(3);
      expect((await stored('purged-link')).length).toBeGreaterThan(0);
      expect(await inService('registry').collection('icons').countDocuments()).toBe(1);
      expect(await inService('statistics').collection('groups').countDocuments()).toBeGreaterThan(0);

      await world.call('deleteApplication', { application });
      await world.settle();
      await world.advance(11);
      await world.settle();
      expect(await gone('purged-link')).toEqual([]);
      expect(await gone('purged-city')).toEqual([]);
      expect(await gone('accepted-purged')).toEqual([]);
      expect(await gone('purged content')).toEqual([]);
      expect(await remainingIn('statistics', 'groups')).toBe(0);
      const named = [
        'audience_jobs.deletedApplications',
        'audience_jobs.jobs.commits',
        'dispatcher.attempts',
        'dispatcher.deletedApplications',
        'registry.accounts.commits',
        'registry.applications',
        'registry.devices.commits',
        'registry.fanouts.commits',
        'registry.plans.heads',
        'scheduler.deletedApplications',
        'scheduler.messages.commits',
        'statistics.purgedApplications',
      ];
      const places = await locationsOf(application, (found) => found.length <= named.length);
      expect(places.filter((place) => !named.includes(place))).toEqual([]);
      await world.advance(2 * DAY_S);
      expect(await remainingIn('registry', 'icons')).toBe(0);
    },
    2 * TIMEOUT_MS,
  );

  it(
    'ends a message in progress as FAIL (R-S1), and purges its content',
    async () => {
      const application = await world.application({ title: 'Failing' });
      await registerTwo(application, 'failing');
      await world.simulators.faults.set('fcm', { down: true });
      const code = await send(application, { content: 'failing content' });
      await world.settle();
      expect((await listedMessage(world, application, code))?.status).toBe('PROCESSING');
      expect(await stored('accepted-failing')).not.toEqual([]);
      await world.call('deleteApplication', { application });
      await world.settle();
      const messages = inService('scheduler').collection<{ _id: string }>('messages');
      expect(await messages.findOne({ _id: code })).toMatchObject({ status: 'FAIL', apps: [] });
      await world.advance(11);
      await world.settle();
      await world.simulators.faults.clear();
      expect(await gone('failing content')).toEqual([]);
      expect(await gone('accepted-failing')).toEqual([]);
      expect(await inService('dispatcher').collection('attempts').countDocuments({ state: 'deferred' })).toBe(0);
      expect(await inService('dispatcher').collection('throttles').countDocuments()).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'removes the archives of the exports of the application, and no others',
    async () => {
      const exported = async (title: string) => {
        const application = await world.application({ title });
        await registerTwo(application, title);
        const { task_id: id } = await world.call('exportSegment', { filterExpression: `A("${application}")` });
        await world.settle();
        const { status, filename } = await world.call('getExportSegment', { task_id: id });
        expect(status).toBe('completed');
        const { pathname, search } = new URL(filename);
        return { application, id, link: new URL(pathname + search, world.url) };
      };
      const exportsIn = (collections: readonly string[]): Promise<number[]> =>
        Promise.all(
          collections.map(async (name) => {
            const found = await inService('audience_jobs').collection<{ _id: string }>(name).find().toArray();
            return new Set(found.map(({ _id }) => _id.split('/')[0])).size;
          }),
        );
      const collections = ['archiveParts', 'archiveBlocks', 'exportInputs'];
      const removed = await exported('exported');
      const other = await exported('retained');
      expect((await fetch(removed.link)).status).toBe(200);
      expect(await exportsIn(collections)).toEqual([2, 2, 2]);

      await world.call('deleteApplication', { application: removed.application });
      await world.settle();
      const answer = await fetch(removed.link);
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ message: 'The link has expired or is not valid' });
      expect(await world.reply('getExportSegment', { task_id: removed.id })).toMatchObject({
        status: 404,
        body: { message: 'Task not found' },
      });
      expect(await exportsIn(collections)).toEqual([1, 1, 1]);
      expect((await fetch(other.link)).status).toBe(200);
    },
    TIMEOUT_MS,
  );
});
