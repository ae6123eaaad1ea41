import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as simulators from '@tidings/simulators';
import {
  brokenInvariants,
  funnelFigures,
  listedMessage,
  type Parameters,
  platform,
  type PlatformWorld,
} from '@tidings/testing';

const { fcmToken, generateServiceAccount, generateVapidKeys, publicKeyOf, webPushSubscription } = simulators;

type WebPushSubscription = simulators.WebPushSubscription;

const CHROME = 11;
const FIREFOX = 12;

let world: PlatformWorld;
let application: string;
const vapid = { chrome: generateVapidKeys(), firefox: generateVapidKeys() };

beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  application = await world.application();
  await world.call('setDebug', { code: application });
  const account = generateServiceAccount(world.simulators.tokenUrl);
  world.simulators.keys.register({
    google: [publicKeyOf(account)],
    vapid: [vapid.chrome.publicKey, vapid.firefox.publicKey],
  });
  for (const [device_type, browser] of [[CHROME, 'chrome'] as const, [FIREFOX, 'firefox'] as const]) {
    await world.call('configureApplication', {
      application,
      device_type,
      [`${browser}_fcm_service_account`]: account,
      [`${browser}_vapid_key`]: vapid[browser].publicKey,
      [`${browser}_vapid_private_key`]: vapid[browser].privateKey,
    });
  }
});
afterAll(() => world?.stop());

const endpointOf = ({ path }: WebPushSubscription): string => world.simulators.webPushUrl + path;
const fieldsOf = (subscription: WebPushSubscription): Parameters => ({
  push_token: endpointOf(subscription),
  public_key: subscription.publicKey,
  auth_token: subscription.authToken,
});
const register = (hwid: string, device_type: number, more: Parameters) =>
  world.call('registerDevice', { application, hwid, device_type, ...more });
const send = (...hwids: string[]): Promise<string> => sendMore(hwids);
async function sendMore(hwids: readonly string[], more: Parameters = {}): Promise<string> {
  const notification = { content: 'Hello', devices: hwids, ...more };
  const { Messages } = await world.call('createMessage', { application, notifications: [notification] });
  await world.settle();
  return Messages[0]!;
}
const figuresOf = async (code: string, device: number) =>
  funnelFigures(await world.call('getDeliveryFunnel', { message_code: code }), device, 'WEB_PUSH');
const payloadAt = ({ path }: WebPushSubscription): Record<string, unknown> => {
  const entries = world.simulators.ledger.of('webpush').entries({ token: path, limit: Infinity });
  return JSON.parse(entries.at(-1)!.payload!) as Record<string, unknown>;
};
const hasToken = async (hwid: string): Promise<boolean> =>
  (await world.call('checkDevice', { application, hwid })).push_token_exist;

describe('web push', () => {
  it('provides browsers with the key to subscribe with', async () => {
    const { features } = await world.call('getConfig', { application });
    expect(features.vapid_key).toBe(vapid.chrome.publicKey);
  });

  it('reaches Chrome and Firefox by the push service of their endpoint, and counts opens', async () => {
    const chrome = webPushSubscription('accepted', 1);
    const firefox = webPushSubscription('accepted', 2);
    await register('chrome', CHROME, fieldsOf(chrome));
    await register('firefox', FIREFOX, fieldsOf(firefox));
    const code = await sendMore(['chrome', 'firefox'], {
      title: 'Title',
      chrome_title: 'In Chrome',
      chrome_gcm_ttl: 60,
      link: 'https://example.com/',
      data: { a: 1 },
      chrome_button_text1: 'Yes',
      chrome_button_url1: 'https://example.com/yes',
      minimize_link: 0,
    });
    const shown = payloadAt(chrome);
    expect(shown).toMatchObject({ body: 'Hello', header: 'In Chrome', l: 'https://example.com/', u: '{"a":1}' });
    expect(JSON.parse(String(shown['buttons']))).toEqual([{ title: 'Yes', url: 'https://example.com/yes' }]);
    expect(payloadAt(firefox)).toMatchObject({ body: 'Hello', header: 'Title' });
    for (const device of [CHROME, FIREFOX]) {
      expect(await figuresOf(code, device)).toMatchObject({ audience: 1, sent: 1, failed: 0 });
    }
    await world.call('messageDeliveryEvent', { application, hwid: 'chrome', hash: shown['p'] });
    await world.call('pushStat', { application, hwid: 'chrome', hash: shown['p'] });
    await world.settle();
    const funnel = await world.call('getDeliveryFunnel', { message_code: code });
    expect(funnelFigures(funnel, CHROME, 'WEB_PUSH')).toMatchObject({ opened: 1 });
    expect(brokenInvariants(funnel, (await listedMessage(world, application, code))?.push_info?.metrics ?? [])).toEqual(
      [],
    );
  });

  it('removes a subscription that has ended, and one with invalid keys', async () => {
    const noPoint = Buffer.alloc(65, 4).toString('base64url');
    await register('gone', CHROME, fieldsOf(webPushSubscription('dead', 1)));
    await register('no point', CHROME, { ...fieldsOf(webPushSubscription('accepted', 3)), public_key: noPoint });
    await register('no keys', CHROME, { push_token: endpointOf(webPushSubscription('accepted', 4)) });
    const code = await send('gone', 'no point', 'no keys');
    expect(await figuresOf(code, CHROME)).toMatchObject({ sent: 0, errors: { INVALID_TOKEN: 3 } });
    for (const hwid of ['gone', 'no point', 'no keys']) expect(await hasToken(hwid)).toBe(false);
  });

  it('reaches a browser without keys by FCM, with the service account of its platform', async () => {
    const token = fcmToken('accepted', 4711);
    await register('by fcm', CHROME, { push_token: endpointOf(webPushSubscription('accepted', 5)), fcm_token: token });
    const code = await sendMore(['by fcm'], { chrome_title: 'In Chrome' });
    const [entry] = world.simulators.ledger.of('fcm').entries({ token });
    const { message } = JSON.parse(entry!.payload!) as { message: { data: Record<string, string> } };
    expect(message.data).toMatchObject({ body: 'Hello', header: 'In Chrome' });
    expect(await figuresOf(code, CHROME)).toMatchObject({ sent: 1, failed: 0 });
  });

  it('refuses endpoints in private networks', async () => {
    const push_token = 'https://10.0.0.7/push/1';
    const { body } = await world.reply('registerDevice', {
      application,
      hwid: 'inside',
      device_type: CHROME,
      push_token,
    });
    expect(body).toMatchObject({ status_code: 210 });
  });

  it('reaches other push services while one is down, and loses no device of that one', async () => {
    // Nobody listens on the discard port.
    await register('unreachable', CHROME, {
      ...fieldsOf(webPushSubscription('accepted', 6)),
      push_token: 'http://127.0.0.1:9/x',
    });
    const reachable = webPushSubscription('accepted', 7);
    await register('reachable', CHROME, fieldsOf(reachable));
    const { Messages } = await world.call('createMessage', {
      application,
      notifications: [{ content: 'x', devices: ['unreachable', 'reachable'], chrome_gcm_ttl: 30 }],
    });
    await world.settle();
    // The slice settles as a whole, so its figures follow.
    expect(payloadAt(reachable)).toMatchObject({ body: 'x' });
    await world.advance(120);
    await world.settle();
    expect(await figuresOf(Messages[0]!, CHROME)).toMatchObject({ sent: 1, errors: { PROVIDER_ERROR: 1 } });
    expect(await hasToken('unreachable')).toBe(true);
  });

  it('waits for a push service that throttles, and for no other one', async () => {
    await world.simulators.faults.set('webpush', { retryAfterSeconds: 600 });
    await register('throttled', CHROME, fieldsOf(webPushSubscription('throttled', 1, 1)));
    const elsewhere = webPushSubscription('accepted', 8);
    const code = await send('throttled');
    expect(await figuresOf(code, CHROME)).toMatchObject({ sent: 0, failed: 0 });
    await register('elsewhere', CHROME, {
      ...fieldsOf(elsewhere),
      push_token: endpointOf(elsewhere).replace('127.0.0.1', 'localhost'),
    });
    await send('elsewhere');
    expect(payloadAt(elsewhere)).toMatchObject({ body: 'Hello' });
    const throttled = async () =>
      (await world.call('listProviders')).providers.flatMap(({ applications, push_services: services, ...more }) =>
        applications.includes(application) && services.length > 0 ? [{ ...more, services }] : [],
      );
    const [listed, ...others] = await throttled();
    const { origin } = new URL(world.simulators.webPushUrl);
    expect([listed, others]).toMatchObject([
      { channel: 'webpush', state: 'open', services: [{ origin, throttled_because: '429 TooManyRequests' }] },
      [],
    ]);
    // Lifted, it sends what only waited; what was refused keeps its own time.
    const waiting = webPushSubscription('accepted', 9);
    await register('waiting', CHROME, fieldsOf(waiting));
    const waits = await send('waiting');
    expect(await figuresOf(waits, CHROME)).toMatchObject({ sent: 0, failed: 0 });
    expect(await world.reply('liftThrottle', { credential: listed!.credential })).toMatchObject({ status: 204 });
    await world.settle();
    expect(await figuresOf(waits, CHROME)).toMatchObject({ sent: 1, failed: 0 });
    expect([await throttled(), await figuresOf(code, CHROME)]).toMatchObject([[], { sent: 0, failed: 0 }]);
    await world.advance(700);
    await world.settle();
    expect(await figuresOf(code, CHROME)).toMatchObject({ sent: 1, failed: 0 });
  });
});
