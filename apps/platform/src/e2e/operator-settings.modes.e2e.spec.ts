import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, issueTokens, type MethodName, type Reply } from '@tidings/client';
import { geoipFile, hasNoAnswer, type Parameters, platform, storedText, type StoredWorld } from '@tidings/testing';

/** Small enough to reach, with room for the suite's application. */
const QUOTAS = { applications: 5, tags: 6, presets: 3, filters: 3, geozones: 3, test_devices: 3 };

let world: StoredWorld;
let application: string;
let folder: string;

beforeAll(async () => {
  const text = Object.entries(QUOTAS).map(([name, most]) => `${name}=${most}`);
  folder = await mkdtemp(join(tmpdir(), 'tidings-settings-'));
  const domains = join(folder, 'domains.txt');
  await writeFile(domains, '# The operator knows better\nthrow-away.example\n');
  const geoip = join(folder, 'city.mmdb');
  await writeFile(geoip, geoipFile([{ network: '198.51.100.0/24', country: 'AT', city: 'Graz' }]));
  world = await platform({
    env: {
      TIDINGS_QUOTAS: text.join(','),
      TIDINGS_DISPOSABLE_DOMAINS: domains,
      GEOIP_DATABASE: geoip,
      TRUSTED_PROXIES: '127.0.0.0/8,::1/128',
    },
  });
  application = await world.application({ ios: false, android: false });
});
afterAll(async () => {
  await world?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const presetOf = (name: string) => ({
  name,
  applicationCode: application,
  content: { message: 'Hi' },
  segmentation: { platforms: [3] },
});
const zone = (name: string) => ({ name, lat: 1, lng: 2, range: 100, cooldown: 60, content: 'Hi' });

const things: Readonly<
  Record<
    string,
    {
      readonly method: MethodName;
      readonly make: (name: string) => Parameters;
      readonly limit: number;
      readonly list: () => Promise<readonly string[]>;
      readonly drop?: (listed: string) => Promise<unknown>;
    }
  >
> = {
  Tag: {
    method: 'addTag',
    make: (name) => ({ tag: { name, type: 2 } }),
    limit: QUOTAS.tags,
    async list() {
      const { tags } = await world.call('listTags');
      return tags.map(({ name }) => name).filter((name) => name.startsWith('quota'));
    },
    drop: (name) => world.call('deleteTag', { tag: { name } }),
  },
  Preset: {
    method: 'createPreset',
    make: presetOf,
    limit: QUOTAS.presets,
    async list() {
      const { presets } = await world.call('listPresets', { application });
      return presets.map(({ code }) => code);
    },
    drop: (code) => world.call('deletePreset', { preset_code: code }),
  },
  Filter: {
    method: 'createFilter',
    limit: QUOTAS.filters,
    make: (name) => ({ name, filter_expression: `A("${application}")`, application }),
    async list() {
      const { filters } = await world.call('listFilters', { application });
      return filters.map(({ name }) => name);
    },
    drop: (name) => world.call('deleteFilter', { name }),
  },
  Geozone: {
    method: 'addGeoZone',
    limit: QUOTAS.geozones,
    make: (name) => ({ application, geozones: [zone(name)] }),
    async list() {
      const { clusters } = await world.call('listGeoZones', { application });
      return clusters.flatMap(({ geoZones }) => geoZones.map(({ id }) => String(id)));
    },
    drop: (id) => world.call('deleteGeoZone', { application, geozones: [Number(id)] }),
  },
  'Test device': {
    method: 'createTestDevice',
    limit: QUOTAS.test_devices,
    make: (name) => ({ application, push_token: name, device_type: 3, name }),
    async list() {
      const { TestDevices: devices } = await world.call('listTestDevices', { application });
      return devices.map(({ name }) => name);
    },
  },
  Application: {
    method: 'createApplication',
    make: (title) => ({ title }),
    limit: QUOTAS.applications,
    list: async () =>
      Object.keys((await world.call('getApplications')).applications).filter((code) => code !== application),
    drop: (code) => world.call('deleteApplication', { application: code }),
  },
};

const isRefusal = ({ body }: Reply): boolean => (body as { readonly status_code?: number }).status_code === 210;
const hasUnknownOutcome = ({ status }: Reply): boolean => status >= 500;
const throwIfAnswered = (error: unknown): void => {
  if (!hasNoAnswer(error)) throw error;
};
/** The application of the suite counts as well. */
const roomFor = (name: string, limit: number): number => (name === 'Application' ? limit - 1 : limit);

describe('a quota (R-LM7)', () => {
  it.each(Object.entries(things))(
    'is not exceeded by many requests at once, and has room again after a deletion: %s',
    async (name, { method, make, limit, list, drop }) => {
      const refusal = { status_code: 210, status_message: `${name} limit reached (${limit})`, response: null };
      const fill = async (prefix: string): Promise<void> => {
        for (let i = 0; i < 5 * limit; i++) {
          const reply = await world.reply(method, make(`${prefix} ${i}`));
          if (isRefusal(reply)) return expect(reply.body).toEqual(refusal);
        }
        throw new Error(`no ${name} is refused`);
      };
      const room = roomFor(name, limit);
      const replies = await Promise.all(
        Array.from({ length: room + 7 }, (_, i) => world.reply(method, make(`quota ${i}`))),
      );
      const refused = replies.filter(isRefusal);
      const unknown = replies.filter(hasUnknownOutcome).length;
      for (const { status, body } of refused) expect({ status, body }).toEqual({ status: 200, body: refusal });
      expect(refused.length).toBeLessThanOrEqual(7);
      expect(refused.length).toBeGreaterThanOrEqual(7 - unknown);
      await fill('quota fill');
      const full = await list();
      expect(full).toHaveLength(room);
      if (!drop) return;
      // A deletion without an answer may have succeeded.
      while ((await list()).includes(full[0]!)) await drop(full[0]!).catch(throwIfAnswered);
      expect(await list()).toHaveLength(room - 1);
      await fill('quota again');
      expect(await list()).toHaveLength(room);
    },
  );

  it('counts filters of an application separately from those of none', async () => {
    const made = await world.reply('createFilter', { name: 'unbound', filter_expression: `A("${application}")` });
    expect(made).toMatchObject({ body: { status_code: 200 } });
  });

  it('accepts geozones that are added together all or not at all', async () => {
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

describe('a geo-IP database (R-RES17)', () => {
  const address = '198.51.100.77';
  const register = async (hwid: string, more: Parameters = {}): Promise<Readonly<Record<string, unknown>>> => {
    const reply = await fetch(`${world.url}/json/1.3/registerDevice`, {
      method: 'POST',
      headers: { authorization: `Token ${world.secrets.device}`, 'x-forwarded-for': address },
      body: JSON.stringify({ request: { application, hwid, device_type: 3, push_token: hwid, ...more } }),
    });
    expect(await reply.json()).toMatchObject({ status_code: 200 });
    const { result } = await world.call('getTags', { application, hwid });
    return result;
  };

  it('provides a registration with the location of its address, which is stored nowhere', async () => {
    expect(await register('from-graz')).toMatchObject({ Country: 'AT', City: 'Graz' });
    expect(await register('from-ulm', { country: 'de', city: 'Ulm' })).toMatchObject({ Country: 'DE', City: 'Ulm' });
    await world.settle();
    expect(await storedText(world.mongoUrl, address)).toEqual([]);
    // The same search finds the place, in states, commits and records of the embedded log.
    expect(await storedText(world.mongoUrl, 'Graz')).not.toEqual([]);
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

  it('creates tags up to the quota, and lists each that it did not create (R-LM7)', async () => {
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
      status: 'Completed',
      progress: 100,
      devices_success: 2,
      devices_failed: 1,
      devices_not_found: 1,
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
