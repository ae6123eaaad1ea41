import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addChannel, definitions, removeChannel } from '@tidings/channels';
import {
  brokenInvariants,
  funnelFigures,
  listedMessage,
  type Parameters,
  platform,
  type PlatformWorld,
  untilDone,
} from '@tidings/testing';
import { transports } from './channels/transports.ts';
import {
  fcmToken,
  type ReceivedEvent,
  simulators,
  startSubscriber,
  type Subscriber,
} from './testing/test-simulators.ts';
import { TOY, TOY_PLATFORM, toy } from './testing/toy/toy-definition.ts';
import { toySimulator } from './testing/toy/toy-simulator.ts';
import { toyTransport } from './testing/toy/toy-transport.ts';

const ANDROID = 3;

describe('a channel that is added by a folder and a line in each table', () => {
  let world: PlatformWorld;
  let subscriber: Subscriber;
  let application: string;

  const sendAll = async (notification: Parameters): Promise<string> => {
    const sent = await world.call('createMessage', { application, notifications: [notification] });
    const code = sent.Messages[0]!;
    await untilDone(world, application, code);
    return code;
  };
  const funnelOf = (code: string) => world.call('getDeliveryFunnel', { message_code: code });
  const pushes = () => world.simulators.ledger.of(TOY).entries({ limit: Infinity });
  const pushedEvents = (): readonly ReceivedEvent[] =>
    subscriber.received.filter(({ eventName }) => eventName === 'Push Sent');

  beforeAll(async () => {
    removeChannel('adm');
    addChannel(TOY, toy);
    transports.set(TOY, (parts) => toyTransport(parts, () => world.simulators.urlOf(TOY)));
    simulators.set(TOY, toySimulator);

    world = await platform({ simulators: { keepPayloads: true } }, 'embedded');
    subscriber = await startSubscriber();
    application = await world.application({ ios: false });
    // Messages to fewer than ten devices are hidden else.
    await world.call('setDebug', { code: application });
    await world.call('configureApplication', {
      application,
      device_type: TOY_PLATFORM,
      adm_cid: 'client',
      adm_secret: 'secret',
      adm_framework: 'native',
    });
    const register = (hwid: string, device: Parameters) =>
      world.call('registerDevice', { application, hwid, ...device });
    for (const [i, token] of ['first', 'second', 'busy', 'dead'].entries()) {
      const language = i % 2 === 0 ? 'en' : 'de';
      const key = i === 0 ? { public_key: 'BNcRd_9w' } : {};
      await register(`toy-${i}`, { device_type: TOY_PLATFORM, push_token: token, language, ...key });
    }
    await register('android', { device_type: ANDROID, push_token: fcmToken('accepted', 1), language: 'en' });
    await world.call('createSubscription', { endpoint: subscriber.endpoint, events: ['Push Sent'] });
  });
  afterAll(async () => {
    await world?.stop();
    subscriber?.down();
    for (const parts of [transports, simulators]) parts.delete(TOY);
    removeChannel(TOY);
    addChannel('adm', definitions.adm);
  });

  it('sends every device its text in the variant that its fields choose, and counts each outcome once', async () => {
    const code = await sendAll({ content: { en: 'Hello', de: 'Hallo' } });
    const received = pushes().map(({ token, reason, payload }) => {
      const { says, language, variant } = JSON.parse(payload!) as Record<string, string>;
      return [token, reason, says, language, variant];
    });
    expect(received.toSorted()).toEqual([
      ['BUSY', 'accepted', 'Hello', 'en', 'alert'],
      ['BUSY', 'busy', 'Hello', 'en', 'alert'],
      ['DEAD', 'gone', 'Hallo', 'de', 'alert'],
      ['FIRST', 'accepted', 'Hello', 'en', 'signed'],
      ['SECOND', 'accepted', 'Hallo', 'de', 'alert'],
    ]);
    const funnel = await funnelOf(code);
    expect(funnelFigures(funnel, TOY_PLATFORM)).toMatchObject({
      audience: 4,
      eligible: 4,
      sent: 3,
      errors: { INVALID_TOKEN: 1 },
    });
    expect(funnelFigures(funnel, ANDROID)).toMatchObject({ audience: 1, eligible: 1, sent: 1, failed: 0 });
    const metrics = (await listedMessage(world, application, code))?.push_info?.metrics ?? [];
    expect(brokenInvariants(funnel, metrics)).toEqual([]);
  });

  it('counts the reports of devices, and sends event streams the pushes that the provider accepted', async () => {
    const [push] = pushes().filter(({ token }) => token === 'FIRST');
    const [event] = pushedEvents().filter(({ hwid }) => hwid === 'toy-0');
    expect(event).toMatchObject({ platform: 'AMAZON', payload: push!.payload });
    await world.call('pushStat', { application, hwid: 'toy-0', hash: push!.hash });
    await world.settle();
    expect(funnelFigures(await funnelOf(event!.messageCode), TOY_PLATFORM)).toMatchObject({ sent: 3, opened: 1 });
  });

  it('removes a dead token from the device, and reaches named recipients in the direct lane', async () => {
    const code = await sendAll({ content: 'Again', devices: ['toy-1', 'toy-3'] });
    expect(funnelFigures(await funnelOf(code), TOY_PLATFORM)).toMatchObject({
      audience: 2,
      eligible: 2,
      sent: 1,
      errors: { NO_TOKEN: 1 },
    });
  });

  it('fails devices at once if the platform is not configured', async () => {
    const unconfigured = await world.application({ ios: false, android: false });
    await world.call('registerDevice', {
      application: unconfigured,
      hwid: 'toy',
      device_type: TOY_PLATFORM,
      push_token: 'third',
    });
    const { Messages } = await world.call('createMessage', {
      application: unconfigured,
      notifications: [{ content: 'Nobody' }],
    });
    await world.settle();
    const { errors, sent } = funnelFigures(await funnelOf(Messages[0]!), TOY_PLATFORM);
    expect({ errors, sent }).toEqual({ errors: { PLATFORM_DISABLED: 1 }, sent: 0 });
  });

  it('has dispatchers that are listed by its name', async () => {
    const { providers } = await world.call('listProviders');
    expect(providers.map(({ channel }) => channel)).toContain(TOY);
  });
});
