import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as simulators from '@tidings/simulators';
import { brokenInvariants, funnelFigures, listedMessage, platform, type PlatformWorld } from '@tidings/testing';

const { movedToken, specialToken } = simulators;

const HUAWEI = 17;
const AMAZON = 9;
const APP = 'huawei-e2e';
const CLIENT = 'amazon-e2e';

let world: PlatformWorld;
let application: string;

beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  application = await world.application({ ios: false, android: false });
  await world.call('setDebug', { code: application });
  world.simulators.keys.register({ clients: [APP, CLIENT].map((id) => ({ id, secret: 'right' })) });
});
afterAll(() => world?.stop());

const configure = (huawei_app_secret: string) =>
  world.call('configureApplication', { application, device_type: HUAWEI, huawei_app_id: APP, huawei_app_secret });
const register = (hwid: string, device_type: number, push_token: string) =>
  world.call('registerDevice', { application, hwid, device_type, push_token });
async function send(devices: readonly string[], more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const notification = { content: 'Hello', devices, ...more };
  const { Messages } = await world.call('createMessage', { application, notifications: [notification] });
  await world.settle();
  return Messages[0]!;
}
const funnelOf = (code: string) => world.call('getDeliveryFunnel', { message_code: code });
const hasToken = async (hwid: string): Promise<boolean> =>
  (await world.call('checkDevice', { application, hwid })).push_token_exist;

interface HuaweiMessage {
  readonly message: { readonly data: string; readonly android: object };
}

describe('Huawei devices', () => {
  const messageTo = (token: string): HuaweiMessage['message'] => {
    const [entry] = world.simulators.ledger.of('hms').entries({ token });
    return (JSON.parse(entry!.payload!) as HuaweiMessage).message;
  };

  it('receive messages by Push Kit, and report deliveries and opens', async () => {
    await configure('right');
    const token = specialToken('accepted', 1);
    await register('mate', HUAWEI, token);
    const code = await send(['mate'], {
      title: 'Title',
      data: { a: '"1"' },
      link: 'https://example.com/',
      minimize_link: 0,
      huawei_android_header: 'Own',
      huawei_android_gcm_ttl: 60,
      huawei_android_delivery_priority: 'high',
      huawei_android_badges: '+2',
      huawei_android_lockscreen: 1,
      android_header: 'Android',
    });
    const { data, android } = messageTo(token);
    const payload = JSON.parse(data) as Readonly<Record<string, string>>;
    expect(android).toEqual({ urgency: 'HIGH', ttl: '60s' });
    expect(payload).toMatchObject({
      title: 'Hello',
      header: 'Own',
      l: 'https://example.com/',
      u: '{"a":"\\"1\\""}',
      pw_badges: '2',
      pw_lockscreen: '1',
      pw_msg: '1',
    });
    await world.call('pushStat', { application, hwid: 'mate', hash: payload['p'] });
    await world.settle();
    const funnel = await funnelOf(code);
    expect(funnelFigures(funnel, HUAWEI)).toMatchObject({ audience: 1, sent: 1, failed: 0, opened: 1 });
    const listed = await listedMessage(world, application, code);
    expect(brokenInvariants(funnel, listed?.push_info?.metrics ?? [])).toEqual([]);
  });

  it('lose a token that Push Kit refuses, by either of its answers', async () => {
    await register('dead', HUAWEI, specialToken('dead', 2));
    await register('listed', HUAWEI, specialToken('badToken', 3));
    const code = await send(['dead', 'listed']);
    expect(funnelFigures(await funnelOf(code), HUAWEI)).toMatchObject({ sent: 0, errors: { INVALID_TOKEN: 2 } });
    for (const hwid of ['dead', 'listed']) expect(await hasToken(hwid)).toBe(false);
  });

  it('receive nothing with a refused secret, and everything after a new configuration', async () => {
    await register('p60', HUAWEI, specialToken('accepted', 4));
    await configure('wrong');
    const refused = await send(['p60']);
    const errors = { INVALID_CONFIGURATION: 1 };
    expect(funnelFigures(await funnelOf(refused), HUAWEI)).toMatchObject({ sent: 0, errors });
    await configure('right');
    expect(funnelFigures(await funnelOf(await send(['p60'])), HUAWEI)).toMatchObject({ sent: 1 });
  });
});

describe('Amazon devices', () => {
  interface AmazonRequest {
    readonly data: Readonly<Record<string, string>>;
    readonly expiresAfter: number;
  }
  const requestTo = (token: string): AmazonRequest => {
    const [entry] = world.simulators.ledger.of('adm').entries({ token });
    return JSON.parse(entry!.payload!) as AmazonRequest;
  };

  beforeAll(() =>
    world.call('configureApplication', {
      application,
      device_type: AMAZON,
      adm_cid: CLIENT,
      adm_secret: 'right',
      adm_framework: 'native',
    }),
  );

  it('receive messages by ADM, and lose a refused registration id', async () => {
    const token = specialToken('accepted', 5);
    await register('fire', AMAZON, token);
    await register('gone', AMAZON, specialToken('dead', 6));
    const code = await send(['fire', 'gone'], { title: 'Title', adm_header: 'Own', adm_sound: 'ding', adm_ttl: 90 });
    const { data, expiresAfter } = requestTo(token);
    expect(data).toMatchObject({ title: 'Hello', header: 'Own', s: 'ding', pw_msg: '1' });
    expect(expiresAfter).toBe(90);
    await world.call('pushStat', { application, hwid: 'fire', hash: data['p'] });
    await world.settle();
    const funnel = await funnelOf(code);
    const errors = { INVALID_TOKEN: 1 };
    expect(funnelFigures(funnel, AMAZON)).toMatchObject({ audience: 2, sent: 1, failed: 1, opened: 1, errors });
    expect(await hasToken('gone')).toBe(false);
  });

  it('are stored with the registration id of ADM (R-P3)', async () => {
    await register('moved', AMAZON, movedToken('canonical'));
    expect(funnelFigures(await funnelOf(await send(['moved'])), AMAZON)).toMatchObject({ sent: 1, failed: 0 });
    expect(funnelFigures(await funnelOf(await send(['moved'])), AMAZON)).toMatchObject({ sent: 1, failed: 0 });
    const tokens = world.simulators.ledger.of('adm').entries({ token: 'canonical' });
    expect(tokens).toHaveLength(1);
  });
});
