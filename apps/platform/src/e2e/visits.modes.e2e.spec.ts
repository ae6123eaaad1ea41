import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseStatisticsHash } from '@tidings/messaging';
import { fcmToken } from '@tidings/simulators';
import { brokenInvariants, funnelFigures, type Parameters, platform, type PlatformWorld } from '@tidings/testing';

const ANDROID = 3;
const IOS = 1;

let world: PlatformWorld;
beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
});
afterAll(() => world?.stop());

const pushesTo = (token: string): Record<string, string>[] =>
  world.simulators.ledger
    .of('fcm')
    .entries({ token, limit: Infinity })
    .map(({ payload }) => (JSON.parse(payload!) as { message: { data: Record<string, string> } }).message.data);

describe('entering a geozone', () => {
  const HERE = { lat: 48.2, lng: 16.37 };
  const zone = (name: string, more: Parameters = {}): Parameters => ({
    name,
    ...HERE,
    cooldown: 3600,
    range: 100,
    content: name,
    ...more,
  });
  let own: string;
  let phones = 300;
  const newPhone = async (more: Parameters = {}) => {
    const hwid = `visitor-${++phones}`;
    const token = fcmToken('accepted', phones);
    const register = (fields: Parameters = {}) =>
      world.call('registerDevice', {
        application: own,
        hwid,
        device_type: ANDROID,
        push_token: token,
        ...fields,
      });
    await register(more);
    const report = (where: Parameters = HERE) => world.call('getNearestZone', { application: own, hwid, ...where });
    const got = async () => {
      await world.settle();
      return pushesTo(token).map(({ title }) => title);
    };
    return { hwid, token, register, report, got };
  };
  const add = async (...geozones: Parameters[]): Promise<number[]> =>
    (await world.call('addGeoZone', { application: own, geozones })).GeoZones;
  const sends = async () =>
    (
      await world.call('messagesList', {
        filters: { application: own, source: 'GEO_ZONE' },
        params: { with_metrics: true },
      })
    ).items;
  const untilTomorrow = (): Promise<void> =>
    world.advance(86_400 - (Math.floor(world.simulators.clock.now() / 1000) % 86_400));

  beforeEach(async () => {
    own = await world.application();
  });

  it('has an id that fits the int32 of events (R-EV3)', async () => {
    const [first, second] = await add(zone('Hello'), zone('Bye'));
    expect(first).toBeGreaterThan(0);
    expect(second).toBe(first! + 1);
    expect(second).toBeLessThan(2 ** 31);
  });

  it('sends once within the cooldown for any number of concurrent reports (R-F4)', async () => {
    await add(zone('Hello'));
    const phone = await newPhone();
    await Promise.all(Array.from({ length: 20 }, () => phone.report()));
    expect(await phone.got()).toEqual(['Hello']);
    await world.advance(3000);
    await phone.report();
    expect(await phone.got()).toEqual(['Hello']);
    await world.advance(600);
    await phone.report();
    expect(await phone.got()).toEqual(['Hello', 'Hello']);
  });

  it('adds all sends of a zone on a UTC day to one message, which is done when the day is over (R-F5)', async () => {
    await untilTomorrow();
    const [id] = await add(zone('First', { cooldown: 0 }));
    await add(zone('Another zone', { lat: HERE.lat + 0.01 }));
    const [often, once] = [await newPhone(), await newPhone()];
    await Promise.all([often, once].map((phone) => phone.report()));
    await world.settle();
    await world.call('updateGeoZone', { geoZoneId: id, content: 'Changed' });
    await often.report();
    expect((await often.got()).sort()).toEqual(['Changed', 'First']);
    expect(await once.got()).toEqual(['First']);
    const [today] = await sends();
    expect(await sends()).toEqual([today]);
    expect(today).toMatchObject({
      status: 'PROCESSING',
      source: 'GEO_ZONE',
      push_info: { metrics: [{ sends: 2, errors: 0 }] },
    });
    // A device that was sent to twice counts once.
    const funnel = await world.call('getDeliveryFunnel', { message_code: today!.code });
    expect(brokenInvariants(funnel, today!.push_info!.metrics!)).toEqual([]);
    expect(funnelFigures(funnel)).toMatchObject({ audience: 2, eligible: 2, sent: 2, failed: 0 });

    await untilTomorrow();
    await world.settle();
    await once.report();
    await world.settle();
    const both = await sends();
    expect(both).toMatchObject([
      { status: 'PROCESSING', push_info: { metrics: [{ sends: 1 }] } },
      { code: today!.code, status: 'DONE', push_info: { metrics: [{ sends: 2 }] } },
    ]);
  });

  it('sends in the language of the device, with the rest of its preset (R-F1)', async () => {
    await world.call('createPreset', {
      name: 'Zone',
      applicationCode: own,
      segmentation: { platforms: [ANDROID] },
      content: { message: 'of the preset', title: 'Title' },
    });
    const [{ code } = { code: '' }] = (await world.call('listPresets', { application: own })).presets;
    await add(zone('Own', { content: { en: 'Hello', DE: 'Hallo' }, presetCode: code }));
    await add(zone('Preset', { content: null, presetCode: code }));
    const phone = await newPhone({ language: 'de' });
    await phone.report();
    expect((await phone.got()).sort()).toEqual(['Hallo', 'of the preset']);
    await world.call('deletePreset', { preset_code: code });
    const late = await newPhone();
    await late.report();
    expect(await late.got()).toEqual([]);
  });

  it('sends each device its own address, if the link of the preset has placeholders (R-I17, R-I19)', async () => {
    await world.call('addTag', { tag: { name: 'Level', type: 1 } });
    await world.call('addTag', { tag: { name: 'Name', type: 2 } });
    const links = { personal: 'https://example.com/{{Name}}?l={{Level|plain|none}}', plain: 'https://example.com/all' };
    for (const [name, url] of Object.entries(links))
      await world.call('createPreset', {
        name,
        applicationCode: own,
        segmentation: { platforms: [ANDROID] },
        content: { message: name, action: { type: 'url', options: { url } } },
      });
    const { presets } = await world.call('listPresets', { application: own });
    await add(...presets.map(({ name, code }) => zone(name, { content: null, presetCode: code })));
    const [zoe, ann] = [
      await newPhone({ tags: { Name: 'Zoë "Z"', Level: 7 } }),
      await newPhone({ tags: { Name: 'Ann' } }),
    ];
    await Promise.all([zoe.report(), ann.report()]);
    const linksOf = async ({ token, got }: typeof zoe): Promise<Record<string, string>> => {
      expect((await got()).sort()).toEqual(['personal', 'plain']);
      return Object.fromEntries(pushesTo(token).map(({ title = '', l = '' }) => [title, l]));
    };
    const [ofZoe, ofAnn] = [await linksOf(zoe), await linksOf(ann)];
    expect(ofZoe['personal']).toBe('https://example.com/Zo%C3%AB%20%22Z%22?l=7');
    expect(ofAnn['personal']).toBe('https://example.com/Ann?l=none');
    for (const { plain = '' } of [ofZoe, ofAnn]) {
      expect(plain).toMatch(/\/s\/[0-9A-Za-z]{8}$/);
      const followed = await world.client.http.send(new URL(plain).pathname);
      expect([followed.status, followed.headers.location]).toEqual([302, links.plain]);
    }
  });

  it('sends nothing outside, nor when closed, nor when switched off', async () => {
    const [off] = await add(
      zone('off'),
      zone('closed', { timetable: { timezone: 0 } }),
      zone('far', { lat: HERE.lat + 0.001 }),
    );
    await world.call('updateGeoZone', { geoZoneId: off, status: 0 });
    const phone = await newPhone();
    await phone.report();
    expect(await phone.got()).toEqual([]);
    await world.call('updateGeoZone', { geoZoneId: off, status: 1 });
    await phone.report();
    expect(await phone.got()).toEqual(['off']);
  });

  it('starts no cooldown if nothing is sent (R-F4)', async () => {
    await world.call('createPreset', {
      name: 'Phones',
      applicationCode: own,
      segmentation: { platforms: [IOS] },
      content: { message: 'Hi' },
    });
    const [{ code } = { code: '' }] = (await world.call('listPresets', { application: own })).presets;
    const { GeoZoneCluster: cluster } = await world.call('addGeoZoneCluster', {
      application: own,
      name: 'c',
      cooldown: 7200,
    });
    await add(zone('of the preset', { content: null, presetCode: code, cluster }));
    const android = await newPhone({ userId: 'anna' });
    await android.report();
    const iphone = await newPhone({ userId: 'anna', device_type: IOS, push_token: 'ab'.repeat(32) });
    await iphone.report();
    await world.settle();
    expect(await sends()).toMatchObject([{ push_info: { metrics: [{ platform: IOS, sends: 1 }] } }]);

    await add(zone('for all'));
    const late = await newPhone({ push_token: '' });
    await late.report();
    await world.call('setControlGroup', { code: own, percentage: 100 });
    // A device of the control group counts once per message.
    await android.report();
    await android.report();
    // Until its message is planned, the control group counts as it is then.
    await world.settle();
    await world.call('setControlGroup', { code: own, percentage: 0 });
    const [{ code: message } = { code: '' }] = await sends();
    const { channels } = await world.call('getDeliveryFunnel', { message_code: message });
    const [audience] = channels[0]!.funnel;
    const counts = Object.fromEntries(audience!.pieces.map(({ category, count }) => [category, count]));
    expect(counts).toMatchObject({ ELIGIBLE_AUDIENCE: '0', CONTROL_GROUP: '1' });
    await late.register();
    await Promise.all([late, android].map((phone) => phone.report()));
    for (const phone of [late, android]) expect(await phone.got()).toEqual(['for all']);
  });

  it('starts no cooldown while the frequency cap of the application excludes the device (R-F4)', async () => {
    await add(zone('Hello'));
    const phone = await newPhone();
    await world.call('setCapping', { code: own, days: 1, count: 1 });
    await world.call('createMessage', {
      application: own,
      notifications: [{ content: 'counted', devices: [phone.hwid] }],
    });
    expect(await phone.got()).toEqual(['counted']);
    await phone.report();
    await phone.report();
    expect(await phone.got()).toEqual(['counted']);
    expect(await sends()).toMatchObject([{ status: 'PROCESSING' }]);
    await world.call('setCapping', { code: own, days: 1, count: 2 });
    await phone.report();
    expect(await phone.got()).toEqual(['counted', 'Hello']);
    // The cooldown of the send runs, whatever the cap is.
    await world.call('setCapping', { code: own, days: 1, count: 9 });
    await phone.report();
    expect(await phone.got()).toEqual(['counted', 'Hello']);
  });

  it('counts under the campaign of the zone, else of its preset, as long as they exist', async () => {
    const campaignOf = async (name: string): Promise<string> =>
      (await world.call('createCampaign', { application: own, name })).campaign;
    const [ofZone, ofPreset] = [await campaignOf('zone'), await campaignOf('preset')];
    await world.call('createPreset', {
      name: 'p',
      applicationCode: own,
      campaignCode: ofPreset,
      segmentation: { platforms: [ANDROID] },
      content: { message: 'Hi' },
    });
    const [{ code } = { code: '' }] = (await world.call('listPresets', { application: own })).presets;
    await add(zone('z', { content: null, presetCode: code, cooldown: 0, campaign: ofZone }));
    const phone = await newPhone();
    const campaignId = async () =>
      (await world.call('listGeoZones', { application: own })).clusters[0]?.geoZones[0]?.campaign_id;
    const id = await campaignId();
    await phone.report();
    await world.call('deleteCampaign', { campaign: ofZone });
    expect(await campaignId()).toBeNull();
    await phone.report();
    await world.call('deleteCampaign', { campaign: ofPreset });
    await phone.report();
    expect(await phone.got()).toHaveLength(3);
    const ids = pushesTo(phone.token).map(({ p }) => Number(parseStatisticsHash(p!)!.campaignId));
    const [third, first, second] = ids.sort((a, b) => a - b);
    expect([first, third]).toEqual([id, 0]);
    expect(second).toBeGreaterThan(id!);
  });

  it('sends once for a report that is repeated with its key within a day (R-ER11)', async () => {
    await add(zone('Again', { cooldown: 0 }));
    const phone = await newPhone();
    const report = (key: string) =>
      world.client.http.send('/json/1.3/getNearestZone', {
        method: 'POST',
        headers: { authorization: `Token ${world.secrets.device}`, 'idempotency-key': key },
        body: { request: { application: own, hwid: phone.hwid, ...HERE } },
      });
    const replies = [...(await Promise.all(['a', 'a', 'a'].map(report))), await report('a')];
    for (const reply of replies) expect(reply).toMatchObject({ status: 200, body: { response: { name: 'Again' } } });
    await report('b');
    expect(await phone.got()).toEqual(['Again', 'Again']);
    await world.advance(86_401);
    await report('a');
    expect(await phone.got()).toHaveLength(3);
  });

  it('sends at each report without a cooldown', async () => {
    await add(zone('Again', { cooldown: 0 }));
    const phone = await newPhone();
    for (let i = 0; i < 3; i++) await phone.report();
    expect(await phone.got()).toEqual(['Again', 'Again', 'Again']);
  });

  it('sends a user the same message from one zone of a cluster only, for all devices (R-F4)', async () => {
    const cluster = (await world.call('addGeoZoneCluster', { application: own, name: 'c', cooldown: 7200 }))
      .GeoZoneCluster;
    await add(
      zone('near', { content: 'same', cluster }),
      zone('next', { content: 'same', cluster, lat: HERE.lat + 0.0001 }),
      zone('other', { content: 'other', cluster, lat: HERE.lat + 0.0002 }),
    );
    const devices = await Promise.all([newPhone({ userId: 'anna' }), newPhone({ userId: 'anna' })]);
    await Promise.all([...devices, ...devices].map((device) => device.report()));
    const got = (await Promise.all(devices.map((device) => device.got()))).flat();
    expect(got.sort()).toEqual(['other', 'same']);
    const stranger = await newPhone({ userId: 'ben' });
    await stranger.report();
    expect((await stranger.got()).sort()).toEqual(['other', 'same']);
  });
});
