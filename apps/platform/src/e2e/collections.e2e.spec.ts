import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databasePrefixOf } from '@tidings/mongo';
import { retryUntilAnswered, connectToStore, platform, type StoredWorld } from '@tidings/testing';
import type { MongoClient } from 'mongodb';
import { PNG } from 'pngjs';

let world: StoredWorld;
let mongo: MongoClient;

beforeAll(async () => {
  world = await platform();
  mongo = await connectToStore(world.mongoUrl);
});
afterAll(async () => {
  await mongo?.close();
  await world?.stop();
});

async function useEverything(): Promise<void> {
  const application = await world.application({ title: 'Kept', ios: true, android: true });
  await world.call('updateApplication', {
    application,
    icon: PNG.sync.write(new PNG({ width: 8, height: 8 })).toString('base64'),
  });
  const { id } = await world.call('createToken', { scope: 'api', applications: 'all' });
  await world.call('setRateLimit', { id, requests: 1000, seconds: 1 });
  await world.call('createSubscription', { endpoint: 'grpc://127.0.0.1:9', events: ['Push Sent'] });
  await world.call('createGroup', { name: 'Group', applications: [application] });
  await world.call('addTag', { tag: { name: 'Level', type: 1 } });
  await world.call('createTestDevice', { application, push_token: 'accepted-test', device_type: 3, name: 'Phone' });
  const device = { application, hwid: 'one', device_type: 3, push_token: 'accepted-1', tags: { Level: 1 } };
  await world.call('registerDevice', device);
  await world.call('addGeoZone', {
    application,
    geozones: [{ lat: 52.5, lng: 13.4, name: 'Zone', cooldown: 60, range: 100, content: 'Here' }],
  });
  await world.call('addGeoZoneCluster', { application, name: 'Cluster', cooldown: 1 });
  await world.call('getNearestZone', { application, hwid: 'one', lat: 52.5, lng: 13.4 });
  await world.call('createFilter', { name: 'All', filter_expression: `A("${application}")`, application });
  await world.call('createPreset', {
    applicationCode: application,
    name: 'Preset',
    content: { message: 'Hello' },
    segmentation: { platforms: [3] },
  });
  await world.call('createCampaign', { application, name: 'Spring', description: 'Spring' });
  await world.call('bulkSetTags', { application, devices: [{ hwid: 'one', tags: { Level: 2 } }] });
  await retryUntilAnswered(() => world.call('exportSegment', { filterExpression: `A("${application}")` }));
  await retryUntilAnswered(() =>
    world.call('createMessage', {
      application,
      notifications: [
        {
          content: 'Hello',
          transactionId: 'kept-1',
          link: 'http://example.com/',
          minimize_link: 1,
          inbox_days: 1,
        },
      ],
    }),
  );
  await world.settle();
  await world.call('getInboxMessages', { application, userId: 'one' });
}

async function named(): Promise<string[]> {
  const page = await readFile('docs/operations/retention.md', 'utf8');
  const [, section = ''] = /\n## Collections\n([^]*?)\n## /.exec(page) ?? [];
  return [...section.matchAll(/^\| (\w+) \| (`.*`) \| .+ \|$/gm)].flatMap(([, database, names]) =>
    [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => `${database} ${name}`),
  );
}

describe('docs/operations/retention.md', () => {
  it('names every existing collection, and no other', async () => {
    await useEverything();
    const prefix = `${databasePrefixOf(world.mongoUrl)}_`;
    const { databases } = await mongo.db('admin').admin().listDatabases();
    const found: string[] = [];
    for (const { name } of databases.filter((each) => each.name.startsWith(prefix))) {
      const collections = await mongo.db(name).listCollections().toArray();
      found.push(...collections.map((each) => `${name.slice(prefix.length)} ${each.name}`));
    }
    const listed = await named();
    expect(found.filter((each) => !listed.includes(each))).toEqual([]);
    expect(listed.filter((each) => !found.includes(each))).toEqual([]);
  });
});
