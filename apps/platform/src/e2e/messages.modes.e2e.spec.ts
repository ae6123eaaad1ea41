import { beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken, fcmToken, generateServiceAccount, publicKeyOf } from '@tidings/simulators';
import { funnelFigures, listedMessage, type PlatformWorld, untilDone } from '@tidings/testing';
import { emailFeatures } from './messages/email.features.ts';
import { groupFeatures } from './messages/group.features.ts';
import { kakaoFeatures } from './messages/kakao.features.ts';
import { outcomeFeatures } from './messages/outcomes.features.ts';
import { payloadFeatures } from './messages/payload.features.ts';
import { recipientFeatures } from './messages/recipients.features.ts';
import { segmentFeatures } from './messages/segment.features.ts';
import { whatsAppFeatures } from './messages/whatsapp.features.ts';
import { IOS, ANDROID, CODE, HIDDEN, android, ios, MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();
const { send, sendOne, register, tagsOf, funnelOf, metricsOf, brokenBy, pushesTo, payloadOf, applicationInDebug } =
  test;
let world: PlatformWorld;
beforeAll(() => {
  ({ world } = test);
});

// Order matters: the last suite advances the clock.
segmentFeatures(test);
groupFeatures(test);
whatsAppFeatures(test);
emailFeatures(test);
kakaoFeatures(test);
outcomeFeatures(test);

describe('a message with texts for one platform', () => {
  it('is not sent to others, unless it has data for them (R-I22)', async () => {
    const application = await applicationInDebug();
    const [phone, tablet] = [apnsToken('accepted', 5100), fcmToken('accepted', 5100)];
    await register(application, 'phone', ios(phone));
    await register(application, 'tablet', android(tablet));
    const code = await sendOne(application, { android_content: 'x', ios_badges: '+1' });
    await world.settle();
    const { channels } = await funnelOf(code);
    const errors = channels[0]!.funnel.flatMap((stage) => stage.errors);
    expect(errors).toMatchObject([
      { category: 'INVALID_CONTENT', codes: [{ platform: IOS, code: '0', name: 'no_content' }] },
    ]);
    expect(await brokenBy(application, code)).toEqual([]);
    expect([pushesTo('apns', phone).length, pushesTo('fcm', tablet).length]).toEqual([0, 1]);
    await sendOne(application, { android_content: 'x', data: { a: 1 }, ios_badges: '+1' });
    await world.settle();
    // The push before took no part of the badge.
    expect(payloadOf('apns', phone)).toMatchObject({ aps: { badge: 1 }, u: '{"a":1}' });
  });
});

describe('platforms without settings', () => {
  const devices = async (application: string): Promise<void> => {
    await world.registerDevices(application, 12, (i) => ({
      hwid: `d-${i}`,
      ...(i % 2 === 0 ? ios(apnsToken('accepted', 5000 + i)) : android(fcmToken('accepted', 5000 + i))),
    }));
  };

  it('cause errors of their own kind and do not affect the others', async () => {
    const application = await world.application({ ios: false });
    await devices(application);
    const code = await sendOne(application, { content: 'x' });
    await world.settle();
    const funnel = await funnelOf(code);
    expect(funnelFigures(funnel, IOS)).toMatchObject({ eligible: 6, sent: 0, errors: { PLATFORM_DISABLED: 6 } });
    expect(funnelFigures(funnel, ANDROID)).toMatchObject({ eligible: 6, sent: 6, failed: 0 });
    expect(await brokenBy(application, code)).toEqual([]);
  });

  it('have credentials that the provider refuses', async () => {
    const application = await world.application({ title: 'Refused', ios: false, android: false });
    await devices(application);
    await world.call('configureApplication', {
      application,
      device_type: IOS,
      ios_key_management_type: 'manual',
      ios_key_file: Buffer.from('no key').toString('base64'),
      ios_key_password: '',
      ios_gateway: 1,
      ios_framework: 'native',
    });
    // The provider does not know this account's key.
    const account = generateServiceAccount(world.simulators.tokenUrl);
    const other = generateServiceAccount(world.simulators.tokenUrl);
    world.simulators.keys.register({
      google: [{ ...publicKeyOf(other), clientEmail: publicKeyOf(account).clientEmail }],
    });
    await world.call('configureApplication', {
      application,
      device_type: ANDROID,
      android_framework: 'native',
      android_fcm_service_account: account,
    });
    const code = await sendOne(application, { content: 'x' });
    await untilDone(world, application, code);
    const funnel = await funnelOf(code);
    for (const each of [IOS, ANDROID]) {
      expect(funnelFigures(funnel, each)).toMatchObject({ eligible: 6, sent: 0, errors: { INVALID_CONFIGURATION: 6 } });
    }
    expect(await brokenBy(application, code)).toEqual([]);
  });
});

recipientFeatures(test);

describe('a transactionId', () => {
  let application: string;
  const token = fcmToken('accepted', 7000);
  beforeAll(async () => {
    application = await world.application();
    await register(application, 'only', android(token));
  });
  const total = async (): Promise<number> => (await world.call('messagesList', { filters: { application } })).total;

  it('creates one message of fifty concurrent requests', async () => {
    const notification = { content: 'once', transactionId: 'at-once' };
    const codes = await Promise.all(Array.from({ length: 50 }, () => sendOne(application, notification)));
    await world.settle();
    expect([new Set(codes).size, await total(), pushesTo('fcm', token)]).toEqual([1, 1, ['accepted']]);
    expect(codes[0]).toMatch(CODE);
  });

  it('creates one message of two in one request, and of many in several', async () => {
    const before = await total();
    const one = { content: 'x', transactionId: 'twice' };
    const { Messages: messages } = await send(application, one, { ...one, content: 'y' }, { content: 'z' });
    expect([messages[1], messages[2] === messages[0]]).toEqual([messages[0], false]);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => send(application, { ...one, transactionId: `many-${i % 2}` }, one)),
    );
    expect(new Set(replies.flatMap(({ Messages: codes }) => codes)).size).toBe(3);
    await world.settle();
    expect(await total()).toBe(before + 4);
  });

  it('belongs to the whole account, for any fields of the request', async () => {
    const other = await world.application({ title: 'Other' });
    const code = await sendOne(application, { content: 'x', transactionId: 'account' });
    const repeat = await send(other, { content: 'else', devices: ['unknown'], transactionId: 'account' });
    expect(repeat).toEqual({ Messages: [code] });
  });

  it('is answered as the first time, also if that was no code', async () => {
    const pushed = (): number => pushesTo('fcm', token).length;
    await world.settle();
    const before = pushed();
    const notification = { content: 'x', devices: ['only', 'foo'], transactionId: 'hidden' };
    expect(await send(application, notification)).toMatchObject({ UnknownDevices: { [HIDDEN]: ['foo'] } });
    expect(await send(application, notification)).toEqual({ Messages: [HIDDEN] });
    await world.settle();
    expect(pushed()).toBe(before + 1);
  });

  it('is stored for 300 seconds, which repeats do not extend', async () => {
    const notification = { content: 'x', transactionId: 'minutes' };
    const code = await sendOne(application, notification);
    // Real time passes as well, so the check is not exact to the second.
    await world.advance(270);
    expect(await sendOne(application, notification)).toBe(code);
    await world.advance(31);
    const next = await sendOne(application, notification);
    expect(next).not.toBe(code);
    expect(await sendOne(application, notification)).toBe(next);
  });

  it('has no effect if it is empty', async () => {
    const notification = { content: 'x', transactionId: '' };
    expect(await sendOne(application, notification)).not.toBe(await sendOne(application, notification));
    await world.settle();
  });
});

describe('a push token', () => {
  let application: string;
  beforeAll(async () => {
    application = await applicationInDebug();
  });
  const errorsOf = async (code: string) => {
    await world.settle();
    return funnelFigures(await funnelOf(code)).errors;
  };

  it('moves to the device that registers it last', async () => {
    const token = fcmToken('accepted', 8000);
    await register(application, 'old', android(token));
    await world.settle();
    await register(application, 'new', android(token));
    await world.settle();
    const old = await sendOne(application, { content: 'for the old one', devices: ['old'] });
    expect(await errorsOf(old)).toEqual({ NO_TOKEN: 1 });
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['new'] }))).toEqual({});
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: [token] }))).toEqual({});
    expect(pushesTo('fcm', token)).toHaveLength(2);
    // The same token on another platform is a different token.
    await register(application, 'apple', ios(token));
    await world.settle();
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['new'] }))).toEqual({});
  });

  it('is kept if it died before it was registered again', async () => {
    const token = apnsToken('dead', 8001, 30);
    await register(application, 'revived', ios(token));
    const send1 = await sendOne(application, { content: 'x', devices: ['revived'] });
    expect(await errorsOf(send1)).toEqual({ INVALID_TOKEN: 1 });
    expect(await tagsOf(application, 'revived')).toMatchObject({ 'Push Alerts Enabled': true });
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['revived'] }))).toEqual({
      INVALID_TOKEN: 1,
    });
    await world.advance(31 * 60);
  });

  it('is restored by the next registration', async () => {
    await register(application, 'again', android(fcmToken('dead', 8002)));
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['again'] }))).toEqual({
      INVALID_TOKEN: 1,
    });
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['again'] }))).toEqual({ NO_TOKEN: 1 });
    await register(application, 'again', android(fcmToken('accepted', 8003)));
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['again'] }))).toEqual({});
    expect(await tagsOf(application, 'again')).toMatchObject({ 'Push Alerts Enabled': true });
    await register(application, 'again', { device_type: ANDROID });
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['again'] }))).toEqual({});
    await register(application, 'again', android(''));
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['again'] }))).toEqual({ NO_TOKEN: 1 });
  });

  it('is kept after transient errors', async () => {
    for (const [i, kind] of (['throttled', 'unavailable', 'wrongTopic'] as const).entries()) {
      const hwid = `passing-${kind}`;
      await register(application, hwid, ios(apnsToken(kind, 8010 + i)));
      const code = await sendOne(application, { content: 'x', devices: [hwid] });
      await untilDone(world, application, code);
      expect(await tagsOf(application, hwid)).toMatchObject({ 'Push Alerts Enabled': true });
    }
  });
});

payloadFeatures(test);

describe('the retention of sent messages', () => {
  const DAY = 86_400;

  it('removes their data step by step', async () => {
    const application = await world.application();
    await world.registerDevices(application, 10, (i) => ({
      hwid: `t-${i}`,
      ...android(fcmToken('accepted', 9500 + i)),
    }));
    const code = await sendOne(application, { content: 'x', link: 'https://example.com/' });
    await world.settle();
    const { message } = payloadOf('fcm', fcmToken('accepted', 9500)) as { message: { data: { l: string; p: string } } };
    const report = { application, hwid: 't-0', hash: message.data.p };
    await world.call('pushStat', report);
    const link = new URL(message.data.l).pathname;
    await world.settle();
    expect(funnelFigures(await funnelOf(code)).rows).toEqual({
      DISPLAYABLE_CONFIRMED: 1,
      DISPLAYABLE_NO_CONFIRMATION: 9,
    });

    // Per-device rows last 30 days, to the second, and reports count in them (R-H17, R-H18).
    const hashOf = (i: number) =>
      world.simulators.ledger.of('fcm').entries({ token: fcmToken('accepted', 9500 + i) })[0]!.hash;
    const secondOf = (time: string | null): number => Date.parse(time!) / 1000;
    const { window_from: from, window_to: now } = await funnelOf(code);
    const end = secondOf(from) + 30 * DAY;
    await world.advance(end - secondOf(now) - 300);
    await world.call('pushStat', { application, hwid: 't-2', hash: hashOf(2) });
    await world.settle();
    expect(funnelFigures(await funnelOf(code)).rows).toMatchObject({ DISPLAYABLE_CONFIRMED: 2 });
    // Usually still within the hour in which the window ends.
    await world.advance(600);
    await world.call('messageDeliveryEvent', { ...report, hwid: 't-1', hash: hashOf(1) });
    await world.call('pushStat', { application, hwid: 't-3', hash: hashOf(3) });
    await world.settle();
    const month = await funnelOf(code);
    expect(secondOf(month.window_to)).toBe(end);
    expect(month.channels[0]).toMatchObject({
      deliveries_form: 'DELIVERIES_FORM_BASIC',
      basic_form_reason: 'BASIC_FORM_REASON_RETENTION',
    });
    expect(funnelFigures(month)).toMatchObject({
      rows: { CONFIRMED_BY_DEVICE: 2, NO_CONFIRMATION: 8 },
      opened: 2,
      confirmed: 4,
    });
    expect(await metricsOf(application, code)).toMatchObject([{ sends: 10, deliveries: 4, opens: 3 }]);

    await world.advance(61 * DAY);
    expect(await funnelOf(code)).toEqual({
      funnel_state: 'FUNNEL_STATE_EXPIRED',
      window_from: null,
      window_to: null,
      channels: [],
    });
    expect(await metricsOf(application, code)).toMatchObject([{ sends: 10 }]);
    expect((await world.client.http.send(link)).status).toBe(302);

    await world.advance(275 * DAY);
    expect((await world.client.http.send(link)).status).toBe(404);
    expect(await listedMessage(world, application, code)).toBeUndefined();
  });
});
