import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseStatisticsHash } from '@tidings/messaging';
// eslint-disable-next-line @nx/enforce-module-boundaries -- a program of its own, whose stand-ins a suite needs
import { apnsToken, fcmToken, type ReceivedEvent, startSubscriber, type Subscriber } from '@tidings/simulators';
import { type Parameters, platform, type PlatformWorld } from '@tidings/testing';

const IOS = 1;
const ANDROID = 3;
const EVENTS = ['Push Sent', 'Push Delivered', 'Push Opened'];

const tokenOf = (n: number): string => (n % 2 === 0 ? apnsToken('accepted', n) : fcmToken('accepted', n));
const registration = (n: number): Parameters => ({
  hwid: `device-${n}`,
  device_type: n % 2 === 0 ? IOS : ANDROID,
  push_token: tokenOf(n),
  language: n % 3 === 0 ? 'de' : 'en',
});
const numberOf = ({ hwid }: ReceivedEvent): number => Number(hwid.split('-')[1]);

describe('event streams', () => {
  const DEVICES = 60;
  let world: PlatformWorld;
  let subscriber: Subscriber;
  let application: string;

  const send = async (notification: Parameters): Promise<void> => {
    await world.call('createMessage', { application, notifications: [notification] });
    await world.settle();
  };
  /** Takes what has come since it was last taken. */
  let taken = 0;
  const take = (): ReceivedEvent[] => {
    const events = subscriber.received.slice(taken);
    taken = subscriber.received.length;
    return events;
  };
  /** What a device was handed last. */
  const pushTo = (n: number) => {
    const provider = n % 2 === 0 ? ('apns' as const) : ('fcm' as const);
    return world.simulators.ledger
      .of(provider)
      .entries({ token: tokenOf(n), limit: Infinity })
      .at(-1)!;
  };

  beforeAll(async () => {
    world = await platform({ simulators: { keepPayloads: true } });
    subscriber = await startSubscriber();
    await world.call('addTag', { tag: { name: 'Name', type: 2 } });
    application = await world.application();
    await world.registerDevices(application, DEVICES, (n) => ({
      ...registration(n),
      ...(n % 5 === 0 ? { userId: `user-${n}` } : {}),
      tags: { Name: `n "${n}"` },
    }));
    await world.call('createSubscription', { endpoint: subscriber.endpoint, events: EVENTS });
  });
  afterAll(async () => {
    await world?.stop();
    subscriber?.down();
  });

  it('tell of every device that was sent to, with what the provider was handed, to the byte', async () => {
    await send({
      content: { en: 'Hello {{Name||you}}', de: 'Hallo {{Name||du}}' },
      title: { en: 'News', de: 'Neues' },
      ios_title: 'For {{Name||you}}',
      android_header: 'Header',
      ios_badges: '+1',
      data: { key: 'value' },
      link: 'https://example.com/{{Name}}',
      minimize_link: 0,
    });
    const events = take();
    expect(events.map(numberOf).toSorted((a, b) => a - b)).toEqual(Array.from({ length: DEVICES }, (_, n) => n));
    for (const event of events) {
      const n = numberOf(event);
      const push = pushTo(n);
      const { code, messageId } = parseStatisticsHash(push.hash)!;
      expect(event.payload).toBe(push.payload);
      expect(event).toMatchObject({
        ...{ eventName: 'Push Sent', messageId, messageCode: code, applicationCode: application },
        ...{ platform: n % 2 === 0 ? 'IOS' : 'ANDROID', userId: n % 5 === 0 ? `user-${n}` : `device-${n}` },
        attributes: {
          pushBody: n % 3 === 0 ? `Hallo n "${n}"` : `Hello n "${n}"`,
          pushTitle: n % 3 === 0 ? 'Neues' : 'News',
          iosTitle: `For n "${n}"`,
          androidHeader: 'Header',
          userData: '{"key":"value"}',
          url: `https://example.com/n%20%22${n}%22`,
        },
      });
    }
    expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(DEVICES);
  });

  it('tell of deliveries and opens as devices report them, the first of each', async () => {
    const report = (method: 'messageDeliveryEvent' | 'pushStat', n: number) =>
      world.call(method, { application, hwid: `device-${n}`, hash: pushTo(n).hash });
    await report('messageDeliveryEvent', 4);
    await report('pushStat', 7);
    await report('pushStat', 4);
    await report('messageDeliveryEvent', 7);
    await world.settle();
    const events = take();
    const of = (n: number) => events.filter((event) => numberOf(event) === n).map(({ eventName }) => eventName);
    expect([of(4), of(7), events.length]).toEqual([EVENTS.slice(1), EVENTS.slice(1), 4]);
    expect(events[0]).toMatchObject({ payload: '{}', messageCode: parseStatisticsHash(pushTo(4).hash)!.code });
  });

  it('name the real message of one that is not listed', async () => {
    await send({ content: 'Just you', devices: ['device-9'] });
    const [event] = take();
    expect(event!.messageCode).toBe(parseStatisticsHash(pushTo(9).hash)!.code);
    expect(event).toMatchObject({ hwid: 'device-9', attributes: { pushBody: 'Just you' } });
  });

  it('wait for a subscriber that is away, and hold nothing up meanwhile', async () => {
    subscriber.down();
    await send({ content: 'Away' });
    expect(take()).toEqual([]);
    await subscriber.up();
    await world.advance(120);
    await world.settle();
    expect(take().map(({ nth }) => nth)).toEqual(Array.from({ length: DEVICES }, () => 1));
  });

  it('end with their subscription', async () => {
    const { subscriptions } = await world.call('listSubscriptions');
    expect(subscriptions).toMatchObject([{ account: 'default', endpoint: subscriber.endpoint, events: EVENTS }]);
    await world.call('deleteSubscription', { id: subscriptions[0]!.id });
    await send({ content: 'Gone' });
    expect([take(), subscriber.streams]).toEqual([[], 0]);
  });
});
