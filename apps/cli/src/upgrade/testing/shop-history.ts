import { apnsToken } from '@tidings/simulators';
import type { Parameters, World } from '@tidings/testing';
import type { WaitingMessage } from './fixture.ts';
import { ANDROID, CHROME, EMAIL, HUAWEI, IOS, type ShopDevice } from './shop-devices.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** A provider that asks to repeat so often is still waited for when the version ends. */
const REPEATS = 1;
/** After its first try (R-P3). */
const TRIES_SECONDS = 3600;

export interface Shop {
  readonly world: World;
  readonly application: string;
  readonly devices: readonly ShopDevice[];
}

export const inSeconds = (world: World, seconds: number): string =>
  new Date(world.simulators.clock.now() + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');

export const send = async ({ world, application }: Shop, fields: Parameters): Promise<string> =>
  (await world.call('createMessage', { application, notifications: [fields] })).Messages[0]!;

export async function setUp({ world, application }: Shop): Promise<{ campaign: string; preset: string }> {
  await world.call('createFilter', { application, name: 'Regulars', filter_expression: 'T("Level", GTE, 4)' });
  await world.call('createFilter', { name: 'Readers', filter_expression: 'T("Interests", IN, ["news"])' });
  await world.call('setCategories', { categories: ['News', 'Offers'] });
  const { campaign } = await world.call('createCampaign', {
    application,
    name: 'Spring',
    description: 'For the garden',
  });
  const content = { message: { en: 'Welcome', de: 'Willkommen' }, title: 'Hello' };
  const segmentation = { platforms: [IOS, ANDROID, EMAIL] };
  await world.call('createPreset', {
    applicationCode: application,
    name: 'Welcome',
    campaignCode: campaign,
    content,
    segmentation,
  });
  const { presets } = await world.call('listPresets', { application });
  const { GeoZoneCluster: cluster } = await world.call('addGeoZoneCluster', {
    application,
    name: 'Shops',
    cooldown: 60,
  });
  const zone = { lat: 52.5, lng: 13.4, name: 'Station', cooldown: 60, range: 100, content: 'Here' };
  await world.call('addGeoZone', { application, geozones: [{ ...zone, cluster }] });
  await world.call('createTestDevice', {
    auth: world.secrets.api,
    application,
    push_token: 'tester',
    device_type: ANDROID,
    name: 'Tester',
  });
  for (const email of ['blocked@mail.example', 'angry@mail.example', 'gone@mail.example'])
    await world.call('registerEmail', { application, email, language: 'en', tags: { Level: 3 } });
  await world.call('blacklistAddress', { address: 'blocked@mail.example' });
  await world.call('recordComplaint', { address: 'angry@mail.example' });
  await world.call('setEmailTags', { application, email: 'gone@mail.example', tags: { 'Unsubscribed Emails': true } });
  return { campaign, preset: presets[0]!.code };
}

const hashOf = ({ world }: Shop, { provider, token }: ShopDevice): string =>
  world.simulators.ledger.of(provider).entries({ token, limit: Infinity }).at(-1)!.hash;

export async function respond(shop: Shop): Promise<void> {
  const { world, application, devices } = shop;
  const reached = devices.filter(
    ({ platform, kind }) => kind === 'accepted' && [IOS, ANDROID, CHROME, HUAWEI].includes(platform),
  );
  for (const [i, device] of reached.entries()) {
    const { hwid } = device;
    const hash = hashOf(shop, device);
    await world.call('messageDeliveryEvent', { application, hwid, hash });
    if (i % 2 === 0) await world.call('pushStat', { application, hwid, hash });
  }
  await world.settle();
  await world.advance(HOUR);
  for (const [i, { hwid }] of reached.entries()) {
    if (i % 2 === 0) await world.call('postEvent', { application, hwid, event: 'Look', attributes: { page: i } });
    if (i % 4 > 0) continue;
    await world.call('setPurchase', {
      application,
      hwid,
      productIdentifier: 'seeds',
      quantity: 2,
      price: 1.5,
      currency: 'EUR',
      transactionDate: inSeconds(world, 0),
    });
  }
  await world.settle();
}

/** @returns the code of the broadcast that devices have responded to */
export async function sendHistory(
  shop: Shop,
  { campaign, preset }: { campaign: string; preset: string },
): Promise<string> {
  const { world, application, devices } = shop;
  const everywhere = [...new Set(devices.map(({ platform }) => platform))];
  const broadcast = await send(shop, {
    content: { en: 'Hello {{Plan|CapitalizeFirst|friend}}', de: 'Hallo' },
    title: 'Shop',
    platforms: everywhere,
    campaign,
    inbox_days: 20,
    data: { article: 17 },
    link: 'https://shop.example/',
  });
  await world.settle();
  await respond(shop);
  await world.advance(DAY);
  await send(shop, { preset, filter: 'Regulars', capping_days: 7, capping_count: 2 });
  await world.settle();
  await send(shop, { preset, filter: 'Regulars', capping_days: 7, capping_count: 2 });
  await send(shop, { content: 'Nobody', conditions: [['Level', 'EQ', 999]] });
  await world.call('createEmailMessage', {
    application,
    notifications: [{ send_date: 'now', preset, email_type: 'marketing', email_category: 'News' }],
  });
  await world.settle();
  const cancelled = await send(shop, { content: 'Never', send_date: inSeconds(world, DAY) });
  await world.settle();
  await world.call('deleteMessage', { message: cancelled });
  await world.settle();
  return broadcast;
}

export async function startActivity({ world, application }: Shop, device: ShopDevice): Promise<void> {
  const { hwid } = device;
  const activity_push_to_start_token = apnsToken('accepted', 9_001);
  await world.call('setActivityPushToStartToken', { application, hwid, activity_push_to_start_token });
  const live_activity = {
    'content-state': { stage: 0 },
    'attributes-type': 'OrderAttributes',
    attributes: { order: 17 },
  };
  await world.call('startLiveActivity', {
    application,
    notifications: [{ content: 'On its way', live_activity, live_activity_id: 'order-17', devices: [hwid] }],
  });
  const activity_push_token = apnsToken('accepted', 9_002);
  await world.call('setActivityToken', { application, hwid, activity_id: 'order-17', activity_push_token });
  await world.settle();
}

function byProvider(devices: readonly ShopDevice[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { provider, token } of devices) (found[provider] ??= []).push(token);
  return found;
}

/** For a time, for a time on each device's clock, and for a provider that throttles all or one of two devices. */
export async function leaveWaiting(shop: Shop): Promise<WaitingMessage[]> {
  const { world, application, devices } = shop;
  const [patient, other] = [apnsToken('throttled', 9_003, REPEATS), apnsToken('throttled', 9_004, REPEATS)];
  for (const [hwid, push_token] of [
    ['patient', patient],
    ['patient too', other],
  ] as const)
    await world.call('registerDevice', { application, hwid, device_type: IOS, push_token, timezone: 0 });
  // The codes of messages to single devices are shown for a day.
  await world.call('setDebug', { code: application });
  const deferred = await send(shop, { content: 'Soon', devices: ['patient'] });
  const served = devices.find(({ platform, kind }) => platform === IOS && kind === 'accepted')!;
  const partly = await send(shop, { content: 'Now, and soon', devices: [served.hwid, 'patient too'] });
  await world.settle();
  // Their tokens name no address of a simulator.
  const platforms = [IOS, ANDROID, HUAWEI];
  const addressed = devices.filter(({ platform, kind }) => kind === 'accepted' && platforms.includes(platform));
  const later = { content: { en: 'Later', de: 'Bald' }, platforms };
  const scheduled = await send(shop, { ...later, send_date: inSeconds(world, 2 * HOUR) });
  const local = await send(shop, { ...later, send_date: inSeconds(world, 4 * HOUR), ignore_user_timezone: false });
  await world.settle();
  const expected = byProvider(addressed);
  const withPatient = { ...expected, apns: [...expected['apns']!, patient, other] };
  const all = addressed.length + 2;
  return [
    { application, code: deferred, stepSeconds: TRIES_SECONDS / 3, devices: { apns: [patient] }, sent: 1 },
    { application, code: partly, stepSeconds: TRIES_SECONDS / 3, devices: { apns: [other] }, sent: 2 },
    { application, code: scheduled, stepSeconds: HOUR, devices: withPatient, sent: all },
    { application, code: local, stepSeconds: HOUR, devices: withPatient, sent: all },
  ];
}
