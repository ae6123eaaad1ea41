import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@tidings/client';
import { clientWith, type Parameters, platform, type PlatformWorld } from '@tidings/testing';

const FORBID = 'Token restrictions forbid this operation';
const DENIED = 'Access denied or application not found';

let world: PlatformWorld;
let first: string;
let second: string;
let group: string;
let restricted: ApiClient;
let stranger: ApiClient;

const refused = (status_message: string) => ({
  status: 200,
  body: { status_code: 210, status_message, response: null },
});
const newApplication = (title: string): Promise<string> => world.application({ title, ios: false, android: false });
const preset = (name: string, more: Parameters = {}, segmentation: Parameters = {}): Parameters => ({
  name,
  applicationGroupCode: group,
  content: { message: 'Hi' },
  segmentation: { platforms: [1, 3], ...segmentation },
  ...more,
});
const listed = async (application: string, client = world.client): Promise<string[]> =>
  (await client.call('listPresets', { application })).presets.map(({ name }) => name);
const codeOf = async (name: string, application = first): Promise<string> => {
  const { presets } = await world.call('listPresets', { application });
  return presets.find((each) => each.name === name)!.code;
};

beforeAll(async () => {
  world = await platform();
  first = await newApplication('First');
  second = await newApplication('Second');
  group = (await world.call('createGroup', { name: 'Both', applications: [first, second] })).code;
  restricted = await clientWith(world, { applications: [first] });
  const { account } = await world.call('createAccount', { name: 'Other' });
  stranger = await clientWith(world, { applications: 'all', account });
});
afterAll(async () => {
  restricted?.close();
  stranger?.close();
  await world?.stop();
});

describe('presets of groups (Spec K, R-I2)', () => {
  it('are listed under each application of the group, oldest first, and are one preset', async () => {
    await world.call('createPreset', preset('Own', { applicationGroupCode: null, applicationCode: first }));
    expect(
      await world.call('createPreset', preset('Shared', { applicationGroupCode: group.toLowerCase() })),
    ).toBeNull();
    expect(await listed(first)).toEqual(['Own', 'Shared']);
    expect(await listed(second)).toEqual(['Shared']);
    const code = await codeOf('Shared');
    expect(await codeOf('Shared', second)).toBe(code);
    expect(await world.call('getPreset', { preset_code: code })).toMatchObject({
      preset: { name: 'Shared', content: { default: 'Hi' }, platforms: [1, 3] },
    });
    expect(await world.call('deletePreset', { preset_code: code })).toBeNull();
    expect(await listed(second)).toEqual([]);
  });

  it('accept campaigns and segments of any application of the group', async () => {
    const outside = await newApplication('Outside');
    const campaignOf = async (application: string): Promise<string> =>
      (await world.call('createCampaign', { application, name: 'c' })).campaign;
    const filter = { filter_expression: 'T("City", EQ, "Bonn")' };
    await world.call('createFilter', { name: 'Of the second', application: second, ...filter });
    await world.call('createFilter', { name: 'Of another', application: outside, ...filter });
    const segmentation = { filter: 'Of the second' };
    await world.call('createPreset', preset('Full', { campaignCode: await campaignOf(second) }, segmentation));
    expect(await listed(first)).toContain('Full');
    expect(await world.reply('deleteFilter', { name: 'Of the second' })).toMatchObject(
      refused('Filter is used by a preset'),
    );
    const foreign = preset('x', { campaignCode: await campaignOf(outside) });
    expect(await world.reply('createPreset', foreign)).toMatchObject(refused('campaign: not found'));
    expect(await world.reply('createPreset', preset('x', {}, { filter: 'Of another' }))).toMatchObject(
      refused('segmentation.filter: not found'),
    );
  });

  it('require tokens that may use the whole group', async () => {
    await world.call('createPreset', preset('Guarded'));
    const preset_code = await codeOf('Guarded');
    const forbidden = { status: 403, body: { status_code: 403, status_message: FORBID, response: null } };
    expect(await restricted.reply('createPreset', preset('x'))).toMatchObject(forbidden);
    expect(await listed(first, restricted)).toEqual(['Own']);
    for (const client of [restricted, stranger]) {
      for (const method of ['getPreset', 'deletePreset'] as const) {
        expect(await client.reply(method, { preset_code })).toMatchObject(refused('Preset not found'));
      }
    }
    expect(await stranger.reply('createPreset', preset('x'))).toMatchObject(refused(DENIED));
    for (const unknown of ['00000-00000', '', 'x'.repeat(300)]) {
      expect(await world.reply('createPreset', preset('x', { applicationGroupCode: unknown }))).toMatchObject(
        refused(DENIED),
      );
    }
    expect(await world.reply('createPreset', preset('x', { applicationCode: first }))).toMatchObject(
      refused('applicationCode and applicationGroupCode must not be used together'),
    );
  });

  it('apply to messages of each application, and to its geozones, if the token may use the whole group', async () => {
    // Belongs to the other application.
    await world.call('createFilter', { name: 'All', application: second, filter_expression: `A("${first}")` });
    await world.call('createPreset', preset('For each', {}, { filter: 'All' }));
    const code = await codeOf('For each');
    const outside = await newApplication('Without');
    const send = (application: string, client = world.client) =>
      client.reply('createMessage', { application, notifications: [{ preset: code }] });
    const zone = { name: 'z', lat: 1, lng: 1, cooldown: 1, range: 50 };
    const add = (application: string, client = world.client) =>
      client.reply('addGeoZone', { application, geozones: [{ ...zone, presetCode: code }] });
    const code200 = { body: { status_code: 200 } };
    expect(await send(first)).toMatchObject(code200);
    expect(await send(second)).toMatchObject(code200);
    expect(await add(second)).toMatchObject(code200);
    const {
      GeoZones: [geoZoneId],
    } = await world.call('addGeoZone', {
      application: first,
      geozones: [{ ...zone, content: 'x' }],
    });
    const change = (client = world.client) => client.reply('updateGeoZone', { geoZoneId, presetCode: code });
    const notThere = { body: { status_code: 210, status_message: 'notifications[0].preset: not found' } };
    for (const reply of [send(outside), send(first, restricted)]) expect(await reply).toMatchObject(notThere);
    for (const reply of [add(outside), add(first, restricted), change(restricted)]) {
      expect(await reply).toMatchObject(refused('Preset not found'));
    }
    expect(await change()).toMatchObject(code200);
  });

  it('are deleted with the last application of the group', async () => {
    const [one, other] = [await newApplication('One'), await newApplication('Other')];
    const { code: applicationGroupCode } = await world.call('createGroup', { name: 'G', applications: [one, other] });
    await world.call('createFilter', { name: 'Used', filter_expression: 'T("City", EQ, "Bonn")' });
    await world.call('createPreset', preset('Last', { applicationGroupCode }, { filter: 'Used' }));
    await world.call('deleteApplication', { application: one });
    await world.settle();
    const preset_code = await codeOf('Last', other);
    expect(await world.call('getPreset', { preset_code })).toMatchObject({ preset: { name: 'Last' } });
    await world.call('deleteApplication', { application: other });
    await world.settle();
    expect(await world.reply('getPreset', { preset_code })).toMatchObject(refused('Preset not found'));
    expect(await world.reply('createPreset', preset('x', { applicationGroupCode }))).toMatchObject(refused(DENIED));
    expect(await world.call('deleteFilter', { name: 'Used' })).toBeNull();
  });
});
