import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Parameters, platform, type PlatformWorld } from '@tidings/testing';
import { ApiClient, issueTokens, type MethodName } from '../client/api-client.ts';

/** Small enough for a suite to reach, with room for its own application. */
const QUOTAS = { applications: 5, tags: 6, presets: 3, filters: 3, geozones: 3, test_devices: 3 };

let world: PlatformWorld;
let application: string;
let folder: string;

beforeAll(async () => {
  const text = Object.entries(QUOTAS).map(([name, most]) => `${name}=${most}`);
  folder = await mkdtemp(join(tmpdir(), 'tidings-settings-'));
  const domains = join(folder, 'domains.txt');
  await writeFile(domains, '# The operator knows better\nthrow-away.example\n');
  world = await platform({ env: { TIDINGS_QUOTAS: text.join(','), TIDINGS_DISPOSABLE_DOMAINS: domains } });
  application = await world.application({ ios: false, android: false });
});
afterAll(async () => {
  await world?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const presetOf = (name: string) => ({
  ...{ name, applicationCode: application },
  ...{ content: { message: 'Hi' }, segmentation: { platforms: [3] } },
});
const zone = (name: string) => ({ name, lat: 1, lng: 2, range: 100, cooldown: 60, content: 'Hi' });

/** How to create each kind of object by name, how many are allowed, and how to delete one. */
const things: Readonly<
  Record<
    string,
    {
      readonly method: MethodName;
      readonly make: (name: string) => Parameters;
      readonly limit: number;
      readonly drop?: () => Promise<unknown>;
    }
  >
> = {
  Tag: {
    ...{ method: 'addTag', make: (name) => ({ tag: { name, type: 2 } }), limit: QUOTAS.tags },
    drop: async () => {
      const { tags } = await world.call('listTags');
      const { name } = tags.find((tag) => tag.name.startsWith('quota'))!;
      return world.call('deleteTag', { tag: { name } });
    },
  },
  Preset: {
    ...{ method: 'createPreset', make: presetOf, limit: QUOTAS.presets },
    drop: async () => {
      const { presets } = await world.call('listPresets', { application });
      return world.call('deletePreset', { preset_code: presets[0]!.code });
    },
  },
  Filter: {
    ...{ method: 'createFilter', limit: QUOTAS.filters },
    make: (name) => ({ name, filter_expression: `A("${application}")`, application }),
    drop: async () => {
      const { filters } = await world.call('listFilters', { application });
      return world.call('deleteFilter', { name: filters[0]!.name });
    },
  },
  Geozone: {
    ...{ method: 'addGeoZone', limit: QUOTAS.geozones },
    make: (name) => ({ application, geozones: [zone(name)] }),
    drop: async () => {
      const { clusters } = await world.call('listGeoZones', { application });
      return world.call('deleteGeoZone', { application, geozones: [clusters[0]!.geoZones[0]!.id] });
    },
  },
  'Test device': {
    ...{ method: 'createTestDevice', limit: QUOTAS.test_devices },
    make: (name) => ({ application, push_token: name, device_type: 3, name }),
  },
  Application: {
    ...{ method: 'createApplication', make: (title) => ({ title }), limit: QUOTAS.applications },
    drop: async () => {
      const { applications } = await world.call('getApplications');
      const other = Object.keys(applications).find((code) => code !== application);
      return world.call('deleteApplication', { application: other });
    },
  },
};

describe('quotas (R-LM7)', () => {
  it.each(Object.entries(things))(
    '%s: many at once do not pass it; one that is deleted makes room',
    async (name, of) => {
      const { method, make, limit, drop } = of;
      const text = `${name} limit reached (${limit})`;
      const replies = await Promise.all(
        Array.from({ length: limit + 7 }, (_, i) => world.reply(method, make(`quota ${i}`))),
      );
      const refused = replies.filter(({ body }) => (body as { status_code?: number }).status_code === 210);
      for (const { status, body } of refused) {
        expect({ status, body }).toEqual({
          status: 200,
          body: { status_code: 210, status_message: text, response: null },
        });
      }
      // The application of the suite already counts.
      expect(refused).toHaveLength(name === 'Application' ? 8 : 7);
      expect(replies.every(({ status }) => status === 200)).toBe(true);
      if (!drop) return;
      await drop();
      await world.call(method, make('quota again'));
      expect(await world.reply(method, make('quota beyond'))).toMatchObject({ body: { status_message: text } });
    },
  );

  it('counts filters of an application and those of none apart', async () => {
    const made = await world.reply('createFilter', { name: 'unbound', filter_expression: `A("${application}")` });
    expect(made).toMatchObject({ body: { status_code: 200 } });
  });

  it('takes geozones that are added together all or not at all', async () => {
    const { clusters } = await world.call('listGeoZones', { application });
    const ids = clusters.flatMap(({ geoZones }) => geoZones.map(({ id }) => id));
    await world.call('deleteGeoZone', { application, geozones: ids });
    const names = ['a', 'b', 'c', 'd'];
    expect(await world.reply('addGeoZone', { application, geozones: names.map(zone) })).toMatchObject({
      body: { status_code: 210, status_message: 'Geozone limit reached (3)' },
    });
    expect(await world.call('listGeoZones', { application })).toEqual({ clusters: [] });
    await world.call('addGeoZone', { application, geozones: names.slice(1).map(zone) });
  });
});

describe("disposable domains of the operator's list (R-E4)", () => {
  it('are refused with their subdomains, and those of the shipped list are not', async () => {
    const register = (email: string) => world.reply('registerEmail', { application, email });
    for (const email of ['anna@throw-away.example', 'anna@mx.throw-away.example']) {
      expect(await register(email)).toMatchObject({
        status: 200,
        body: { status_code: 210, status_message: 'Email address belongs to a disposable domain' },
      });
    }
    expect(await register('anna@mailinator.com')).toMatchObject({ body: { status_code: 200 } });
  });
});

describe('create_missing_tags (R-G6)', () => {
  const tagsFrom = (from: number, to: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`made-${from + i}`, i]));

  let client: ApiClient;
  let application: string;

  beforeAll(async () => {
    // Another account's tags are not used up.
    const { account } = await world.call('createAccount', { name: 'Other' });
    client = new ApiClient(world.urls, await issueTokens(world.url, world.secrets.admin, account), 2);
    application = (await client.call('createApplication', { title: 'Other' })).application;
    await client.call('registerDevice', { application, hwid: 'phone', device_type: 3 });
  });
  afterAll(() => client?.close());

  it('makes tags up to the quota, and tells of each that it did not make (R-LM7)', async () => {
    await client.call('addTag', { tag: { name: 'own', type: 1 } });
    const { body } = await client.reply('bulkSetTags', {
      application,
      create_missing_tags: true,
      devices: [
        { hwid: 'phone', tags: tagsFrom(0, 4) },
        { hwid: 'phone', tags: { ...tagsFrom(3, 7), own: 5 } },
        { hwid: 'phone', tags: tagsFrom(5, 7) },
        { hwid: 'nobody', tags: tagsFrom(6, 8) },
      ],
    });
    await world.settle();
    const { request_id } = body as { readonly request_id: string };
    const reason = `Tag limit reached (${QUOTAS.tags})`;
    expect(await client.call('getBulkSetTags', { request_id, detailed: true })).toMatchObject({
      ...{ status: 'Completed', progress: 100, devices_success: 2, devices_failed: 1, devices_not_found: 1 },
      devices: [
        { status: 'done', tags: { 'made-0': 'ok', 'made-1': 'ok', 'made-2': 'ok', 'made-3': 'ok' } },
        { status: 'done', tags: { 'made-3': 'ok', 'made-4': 'ok', 'made-5': reason, 'made-6': reason, own: 'ok' } },
        { status: 'failed', tags: { 'made-5': reason, 'made-6': reason } },
        { status: 'not found', tags: {} },
      ],
    });
    const { tags } = await client.call('listTags');
    expect(tags.filter(({ name }) => name.startsWith('made-')).map(({ name }) => name)).toEqual(
      Array.from({ length: QUOTAS.tags - 1 }, (_, i) => `made-${i}`),
    );
    expect(await client.reply('addTag', { tag: { name: 'one more', type: 1 } })).toMatchObject({
      body: { status_code: 210, status_message: reason },
    });
  });
});
