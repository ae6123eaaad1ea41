import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MethodName } from '@tidings/client';
import { parseStatisticsHash } from '@tidings/messaging';
import { fcmToken } from '@tidings/simulators';
import { retryUntilAnswered, listedMessage, type Parameters, platform, type PlatformWorld } from '@tidings/testing';

const ANDROID = 3;
const CODE = /^[0-9A-F]{5}-[0-9A-F]{5}$/;

let world: PlatformWorld;
let application: string;
beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  application = await world.application();
});
afterAll(() => world?.stop());

const register = (hwid: string, token: string, more: Parameters = {}) =>
  world.call('registerDevice', { application, hwid, device_type: ANDROID, push_token: token, ...more });
const refusal = async (method: MethodName, parameters: Parameters): Promise<string> => {
  const { body } = await world.reply(method, parameters);
  return (body as { status_message: string }).status_message;
};
const pushesTo = (token: string): Record<string, string>[] =>
  world.simulators.ledger
    .of('fcm')
    .entries({ token, limit: Infinity })
    .map(({ payload }) => (JSON.parse(payload!) as { message: { data: Record<string, string> } }).message.data);

describe('presets and campaigns', () => {
  const create = (name: string, more: Parameters = {}) =>
    world.call('createPreset', {
      name,
      applicationCode: application,
      content: {
        message: { en: 'Hello', de: 'Hallo' },
        title: 'Welcome',
        action: {
          type: 'deepLink',
          options: { url: 'https://example.com/welcome', shortener: 0, id: 17, params: { step: '1' } },
        },
        userData: { first: true },
        properties: { ios: { sound: 'bell', silent: 0, ttl: 60 }, android: { rootParams: { CancelID: 7 } } },
      },
      segmentation: { platforms: [ANDROID] },
      ...more,
    });
  const codeOf = async (name: string): Promise<string> => {
    const { presets } = await world.call('listPresets', { application });
    return presets.find((preset) => preset.name === name)!.code;
  };

  beforeAll(() => register('phone-1', fcmToken('accepted', 1), { language: 'de' }));

  it('include stored presets, which are listed oldest first and shown by the names of createMessage (R-K1, R-K3)', async () => {
    await create('Welcome');
    await create('Plain', { content: { message: 'Hi' } });
    expect((await world.call('listPresets', { application })).presets).toEqual([
      { name: 'Welcome', code: expect.stringMatching(CODE) },
      { name: 'Plain', code: expect.stringMatching(CODE) },
    ]);
    const code = await codeOf('Welcome');
    expect(await world.call('getPreset', { preset_code: code.toLowerCase() })).toEqual({
      preset: {
        code,
        name: 'Welcome',
        page_id: null,
        url: 'https://example.com/welcome',
        platforms: [ANDROID],
        content: { en: 'Hello', de: 'Hallo' },
        properties: {
          title: { default: 'Welcome' },
          minimize_link: 0,
          deep_link_id: 17,
          deep_link_params: { step: '1' },
          userdata: { first: true },
          ios_sound: 'bell',
          ios_silent: 0,
          ios_ttl: 60,
          android_root_params: { CancelID: 7 },
          created_via: 'API',
          user_id: '',
          filter_code: '',
        },
      },
    });
    const { preset } = await world.call('getPreset', { preset_code: await codeOf('Plain') });
    expect(preset).toMatchObject({ url: '', content: { default: 'Hi' } });
  });

  it('send messages with a copy of the preset, under its campaign or that of the request (R-K4, R-RES5)', async () => {
    const { campaign } = await world.call('createCampaign', { application, name: 'Spring', description: 'Green' });
    expect(campaign).toMatch(CODE);
    await create('Spring', { campaignCode: campaign });
    const preset = await codeOf('Spring');
    const send = async (fields: Parameters): Promise<string> =>
      (await world.call('createMessage', { application, notifications: [{ preset, ...fields }] })).Messages[0]!;
    const asItIs = await send({});
    const changed = await send({ content: 'Changed', campaign_name: 'Summer' });
    await world.call('deletePreset', { preset_code: preset });
    expect(await refusal('createMessage', { application, notifications: [{ preset }] })).toBe(
      'notifications[0].preset: not found',
    );
    await world.settle();
    // Messages may overtake each other.
    const pushes = pushesTo(fcmToken('accepted', 1)).toSorted((a, b) => (a['title']! < b['title']! ? -1 : 1));
    expect(pushes).toMatchObject([
      { title: 'Changed', header: 'Welcome' },
      { title: 'Hallo', header: 'Welcome', l: 'https://example.com/welcome', u: '{"first":true}', CancelID: '7' },
    ]);
    const ids = pushes.map(({ p }) => parseStatisticsHash(p!)!.campaignId);
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain(0n);

    const { campaigns } = await world.call('getCampaigns', { application });
    expect(campaigns).toMatchObject([{ code: campaign, name: 'Spring', description: 'Green' }, { name: 'Summer' }]);
    for (const [code, under] of [
      [asItIs, campaigns[0]!.code],
      [changed, campaigns[1]!.code],
    ] as const) {
      const { items } = await world.call('messagesList', { filters: { application, campaign: under } });
      expect(items.map((item) => item.code)).toEqual([code]);
    }
    expect(await listedMessage(world, application, asItIs)).toMatchObject({ status: 'DONE', platforms: ['ANDROID'] });
  });

  it('include one campaign for many requests with its name at once (R-RES5)', async () => {
    const notifications = [{ content: 'x', devices: ['nobody'], campaign_name: 'Once' }];
    // The audience is empty: a repeated request does no harm.
    const send = () => retryUntilAnswered(() => world.call('createMessage', { application, notifications }));
    await Promise.all(Array.from({ length: 20 }, send));
    const { campaigns } = await world.call('getCampaigns', { application, limit: 100 });
    expect(campaigns.filter(({ name }) => name === 'Once')).toHaveLength(1);
  });

  it('include no new campaign for a repeated transactionId (R-I10)', async () => {
    const of = (transactionId: string, campaign_name: string) => ({ content: 'x', transactionId, campaign_name });
    const send = async (...notifications: Parameters[]) =>
      (await world.call('createMessage', { application, notifications })).Messages;
    const [code] = await send(of('repeated', 'Accepted'));
    expect(await send(of('repeated', 'Repeated'), of('other', 'Other'), of('other', 'Of the same request'))).toEqual([
      ...[code, expect.any(String), expect.any(String)],
    ]);
    expect(await send(of('repeated', 'Again'))).toEqual([code]);
    const { campaigns } = await world.call('getCampaigns', { application, limit: 100 });
    const names = campaigns.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Accepted', 'Other']));
    for (const name of ['Repeated', 'Of the same request', 'Again']) expect(names).not.toContain(name);
  });

  it('include one campaign for concurrent requests with the same new transactionId (R-I10)', async () => {
    const own = await world.application({ ios: false, android: false });
    const names = Array.from({ length: 10 }, (_, i) => `At once ${i}`);
    const codes = await Promise.all(
      names.map(async (campaign_name) => {
        const notifications = [{ content: 'x', transactionId: 'at once', campaign_name }];
        return (await retryUntilAnswered(() => world.call('createMessage', { application: own, notifications })))
          .Messages;
      }),
    );
    expect(new Set(codes.flat()).size).toBe(1);
    expect((await world.call('getCampaigns', { application: own })).campaigns).toHaveLength(1);
  });

  it('are listed in pages (R-X3)', async () => {
    const other = await world.application({ ios: false, android: false });
    for (const name of ['a', 'b', 'c']) await world.call('createCampaign', { application: other, name });
    const first = await world.call('getCampaigns', { application: other, limit: 2 });
    expect(first).toMatchObject({ campaigns: [{ name: 'a' }, { name: 'b' }], limit: 2 });
    const rest = await world.call('getCampaigns', { application: other, limit: 2, cursor: first.cursor });
    expect(rest).toMatchObject({ campaigns: [{ name: 'c' }], cursor: '' });
    await world.call('deleteCampaign', { campaign: rest.campaigns[0]!.code });
    expect(await refusal('deleteCampaign', { campaign: rest.campaigns[0]!.code })).toBe('campaign: not found');
    expect((await world.call('getCampaigns', { application: other })).campaigns).toHaveLength(2);
  });

  it('are refused if they do not exist', async () => {
    const { campaign } = await world.call('createCampaign', {
      application: await world.application({ ios: false, android: false }),
      name: 'Elsewhere',
    });
    const message = { application, notifications: [{ content: 'x', campaign }] };
    expect(await refusal('createMessage', message)).toBe('notifications[0].campaign: not found');
    expect(await refusal('getPreset', { preset_code: 'FFFFF-FFFFF' })).toBe('Preset not found');
    expect(await refusal('deletePreset', { preset_code: 'FFFFF-FFFFF' })).toBe('Preset not found');
    const preset = { name: 'x', applicationCode: application, content: { message: 'x' } };
    expect(await refusal('createPreset', { ...preset, campaignCode: campaign, segmentation: { platforms: [1] } })).toBe(
      'campaign: not found',
    );
    expect(await refusal('createPreset', { ...preset, segmentation: { platforms: [1], filter: 'Nobody' } })).toBe(
      'segmentation.filter: not found',
    );
    const { body } = await world.v2('messages:list', { filters: { application, campaign } });
    expect(body).toMatchObject({ code: 3, message: 'filters.campaign: not found' });
  });

  it('are inaccessible to tokens that may not use their application (R-T7)', async () => {
    const sibling = await world.application({ ios: false, android: false });
    const { token } = await world.call('createToken', { scope: 'api', applications: [sibling] });
    const code = await codeOf('Welcome');
    const { campaigns } = await world.call('getCampaigns', { application });
    for (const [method, parameters, text] of [
      ['getPreset', { preset_code: code }, 'Preset not found'],
      ['deletePreset', { preset_code: code }, 'Preset not found'],
      ['deleteCampaign', { campaign: campaigns[0]!.code }, 'campaign: not found'],
    ] as const) {
      expect(await refusal(method, { auth: token, ...parameters })).toBe(text);
    }
  });
});

describe('geozones', () => {
  /** At 52.5 N a degree of longitude is 67,691 m. */
  const EAST = 67_691;
  const zone = (name: string, metersEast: number, more: Parameters = {}): Parameters => ({
    name,
    lat: '52.5',
    lng: String(13 + metersEast / EAST),
    cooldown: 3600,
    range: 100,
    content: name,
    ...more,
  });
  const add = async (of: string, ...geozones: Parameters[]): Promise<number[]> =>
    (await world.call('addGeoZone', { application: of, geozones })).GeoZones;
  const listed = async (of: string) => (await world.call('listGeoZones', { application: of })).clusters;
  const nearest = (of: string, metersEast: number, more: Parameters = {}) =>
    world.call('getNearestZone', {
      application: of,
      hwid: 'walker',
      lat: 52.5,
      lng: 13 + metersEast / EAST,
      ...more,
    });

  let own: string;
  beforeAll(async () => {
    own = await world.application({ ios: false, android: false });
    await world.call('registerDevice', { application: own, hwid: 'walker', device_type: ANDROID });
  });

  it('are stored by cluster, and shown as they were given (R-F6)', async () => {
    const cluster = (await world.call('addGeoZoneCluster', { application: own, name: 'Stations', cooldown: 60 }))
      .GeoZoneCluster;
    expect(cluster).toMatch(CODE);
    const { campaign } = await world.call('createCampaign', { application: own, name: 'Zones' });
    const timetable = { Mon: [{ start: '22:00', stop: '02:00' }], Tue: [], Sun: [{ start: '00:00', stop: '24:00' }] };
    const [first, second] = await add(
      own,
      zone('First', 0, { content: { EN: 'Hello', de: 'Hallo' }, cluster, campaign, timetable }),
      zone('Second', 1000, { range: '1000' }),
    );
    await world.call('updateGeoZone', { geoZoneId: second, timetable });
    await world.call('updateGeoZone', { geoZoneId: second, timetable: null });
    const rest = { cooldown: 3600, presetCode: null, status: true };
    expect(await listed(own)).toEqual([
      {
        name: 'Stations',
        geoZones: [
          {
            ...rest,
            id: first,
            name: 'First',
            lat: 52.5,
            lng: 13,
            range: 100,
            content: { EN: 'Hello', de: 'Hallo' },
            campaign_id: expect.any(Number),
            timetable,
          },
        ],
      },
      {
        name: 'Without cluster',
        geoZones: [
          {
            ...rest,
            id: second,
            name: 'Second',
            lat: 52.5,
            lng: expect.closeTo(13.01477, 4),
            range: 1000,
            content: 'Second',
            campaign_id: null,
            timetable: null,
          },
        ],
      },
    ]);
    expect(await world.call('listGeoZoneClusters', { application: own })).toEqual({
      clusters: [{ code: cluster, cooldown: 60, geozones: 1, name: 'Stations' }],
    });

    await world.call('updateGeoZone', {
      geoZoneId: first,
      name: 'Renamed',
      campaign: null,
      timetable: null,
      status: 0,
    });
    await world.call('deleteGeoZoneCluster', { application: own, geoZoneCluster: cluster });
    expect(await listed(own)).toMatchObject([
      {
        name: 'Without cluster',
        geoZones: [{ id: first, name: 'Renamed', campaign_id: null, timetable: null, status: false }, { id: second }],
      },
    ]);
    await world.call('deleteGeoZone', { application: own, geozones: first });
    expect(await listed(own)).toMatchObject([{ geoZones: [{ id: second }] }]);
    await world.call('deleteGeoZone', { application: own, geozones: [second] });
    expect(await listed(own)).toEqual([]);
  });

  it('accept a preset in place of a text, and a text for that of the preset (R-F1)', async () => {
    await world.call('createPreset', {
      name: 'Zone',
      applicationCode: own,
      content: { message: 'Hi' },
      segmentation: { platforms: [ANDROID] },
    });
    const [{ code } = { code: '' }] = (await world.call('listPresets', { application: own })).presets;
    const [id] = await add(own, zone('Both', 0, { presetCode: code }));
    const shown = async () => (await listed(own))[0]!.geoZones[0];
    expect(await shown()).toMatchObject({ content: 'Both', presetCode: code });
    await world.call('updateGeoZone', { geoZoneId: id, content: 'Text' });
    expect(await shown()).toMatchObject({ content: 'Text', presetCode: code });
    await world.call('updateGeoZone', { geoZoneId: id, presetCode: code });
    expect(await shown()).toMatchObject({ content: null, presetCode: code });
    const nothing = { geoZoneId: id, presetCode: '' };
    expect(await refusal('updateGeoZone', nothing)).toBe('content or presetCode is required');
    await world.call('updateGeoZone', { ...nothing, content: 'Own' });
    expect(await shown()).toMatchObject({ content: 'Own', presetCode: null });
    await world.call('deleteGeoZone', { application: own, geozones: [id] });
  });

  it('are found by distance (R-C13)', async () => {
    expect(await nearest(own, 0)).toBeNull();
    const names = Array.from({ length: 22 }, (_, i) => `zone ${i}`);
    const ids = await add(own, ...names.map((name, i) => zone(name, 2000 + 100 * i)));
    expect(await nearest(own, 0)).toMatchObject({ name: 'zone 0', lat: 52.5, range: 100, distance: 2000 });
    expect(await nearest(own, 5000)).toMatchObject({ name: 'zone 21', distance: 900 });
    for (const more of [0, 1]) expect(await nearest(own, 0, { lat: null, lng: null, more })).toBeNull();
    await world.call('updateGeoZone', { geoZoneId: ids[0], status: 0 });
    const { geozones } = (await nearest(own, 0, { more: 1 })) as { geozones: { name: string; distance: number }[] };
    expect(geozones.map(({ name }) => name)).toEqual(names.slice(1, 21));
    expect(geozones[0]!.distance).toBe(2100);
    expect(await refusal('getNearestZone', { application: own, hwid: 'nobody', lat: 0, lng: 0 })).toBe(
      'Device not found',
    );
    const [pole] = await add(
      own,
      { ...zone('Pole', 0), lat: 90, lng: 0 },
      { ...zone('Dateline', 0), lat: 0, lng: 180 },
    );
    expect(pole).toBeGreaterThan(ids.at(-1)!);
    expect(await nearest(own, 0, { lat: 89.999, lng: 180 })).toMatchObject({ name: 'Pole', distance: 111 });
    expect(await nearest(own, 0, { lat: 0, lng: -179.999 })).toMatchObject({ name: 'Dateline', distance: 111 });
  });

  it('are refused if they do not exist, and then change nothing (R-F2)', async () => {
    const before = await listed(own);
    const other = await world.application({ ios: false, android: false });
    const [foreign] = await add(other, zone('Foreign', 0));
    for (const [method, parameters, text] of [
      ['updateGeoZone', { geoZoneId: 2_000_000_000 }, 'Geozone not found'],
      ['deleteGeoZone', { geozones: ['-1', 1e300] }, 'Geozone not found'],
      ['deleteGeoZone', { geozones: [foreign] }, 'Geozone not found'],
      ['deleteGeoZone', { geozones: [before[0]!.geoZones[0]!.id, 2_000_000_000] }, 'Geozone not found'],
      ['deleteGeoZoneCluster', { geoZoneCluster: 'FFFFF-FFFFF' }, 'Cluster not found'],
      ['addGeoZone', { geozones: [zone('a', 0), zone('b', 0, { cluster: 'FFFFF-FFFFF' })] }, 'Cluster not found'],
      ['addGeoZone', { geozones: [zone('a', 0, { presetCode: 'FFFFF-FFFFF' })] }, 'Preset not found'],
      ['addGeoZone', { geozones: [zone('a', 0, { campaign: 'x' })] }, 'geozones[0].campaign: not found'],
    ] as const) {
      expect(await refusal(method, { application: own, ...parameters })).toBe(text);
    }
    const { token } = await world.call('createToken', { scope: 'api', applications: [own] });
    expect(await refusal('updateGeoZone', { auth: token, geoZoneId: foreign })).toBe('Geozone not found');
    expect(await listed(own)).toEqual(before);
  });
});
