import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toBase62 } from '@tidings/kernel';
import { buildStatisticsHash, parseStatisticsHash, type StatisticsHash } from '@tidings/messaging';
import { databaseOf, databasePrefixOf } from '@tidings/mongo';
import { WebhookRequest } from '@tidings/rpc';
import { programOf } from '@tidings/cli';
import {
  apnsToken,
  dialIn,
  fcmToken,
  type ReceivedEvent,
  startHttpSubscriber,
  startSubscriber,
  type Subscriber,
} from '@tidings/simulators';
import {
  retryUntilAnswered,
  listedMessage,
  modeUnderTest,
  type Parameters,
  platform,
  type StoredWorld,
} from '@tidings/testing';
import { MongoClient } from 'mongodb';

const IOS = 1;
const ANDROID = 3;
const EVENTS = ['Push Sent', 'Push Delivered', 'Push Opened'];

// The embedded mode has no Kafka for other programs.
const itWithKafka = modeUnderTest === 'distributed' ? it : undefined;
const itWithoutKafka = modeUnderTest === 'distributed' ? undefined : it;

const tokenOf = (n: number): string => (n % 2 === 0 ? apnsToken('accepted', n) : fcmToken('accepted', n));
const registration = (n: number): Parameters => ({
  hwid: `device-${n}`,
  device_type: n % 2 === 0 ? IOS : ANDROID,
  push_token: tokenOf(n),
  language: n % 3 === 0 ? 'de' : 'en',
});
const numberOf = ({ hwid }: Pick<ReceivedEvent, 'hwid'>): number => Number(hwid.split('-')[1]);

describe('event streams', () => {
  const DEVICES = 60;
  let world: StoredWorld;
  let mongo: MongoClient;
  let subscriber: Subscriber;
  let application: string;

  const send = async (notification: Parameters): Promise<void> => {
    const notifications = [{ ...notification, transactionId: randomUUID() }];
    await retryUntilAnswered(() => world.call('createMessage', { application, notifications }));
    await world.settle();
  };
  let taken = 0;
  const take = (): ReceivedEvent[] => {
    const events = subscriber.received.slice(taken);
    taken = subscriber.received.length;
    return events;
  };
  const pushTo = (n: number) => {
    const provider = n % 2 === 0 ? ('apns' as const) : ('fcm' as const);
    return world.simulators.ledger
      .of(provider)
      .entries({ token: tokenOf(n), limit: Infinity })
      .at(-1)!;
  };

  beforeAll(async () => {
    // Whole collections and the list of subscriptions are inspected.
    world = await platform({ simulators: { keepPayloads: true }, isAlone: true });
    mongo = await MongoClient.connect(world.mongoUrl);
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
    await mongo?.close();
    await world?.stop();
    subscriber?.down();
  });

  it('contain every device that was sent to, with the exact payload for the provider', async () => {
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
        eventName: 'Push Sent',
        messageId,
        messageCode: code,
        applicationCode: application,
        platform: n % 2 === 0 ? 'IOS' : 'ANDROID',
        userId: n % 5 === 0 ? `user-${n}` : `device-${n}`,
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

  it('contain a push as it was sent, each time, although its device has changed since', async () => {
    const [ios, android] = [10, 11];
    subscriber.down();
    await send({
      content: { en: 'Hello {{Name}}', de: 'Hallo {{Name}}' },
      ios_badges: '+3',
      devices: [ios, android].map((n) => `device-${n}`),
    });
    const sent = new Map([ios, android].map((n) => [`device-${n}`, pushTo(n).payload]));
    for (const n of [ios, android]) {
      const token = n === ios ? apnsToken('accepted', 1_000) : fcmToken('accepted', 1_001);
      const change = { ...registration(n), push_token: token, language: 'fr', tags: { Name: 'another' } };
      await retryUntilAnswered(() => world.call('registerDevice', { application, ...change }));
    }
    await retryUntilAnswered(() => world.call('setBadge', { application, hwid: `device-${ios}`, badge: 40 }));
    await world.settle();
    subscriber.behaviour.answer = () => 'not yet';
    await subscriber.up();
    await world.advance(120);
    await world.settle();
    const refused = take();
    subscriber.behave();
    await world.advance(120);
    await world.settle();
    const events = take();
    for (const received of [refused, events]) {
      expect(new Map(received.map(({ hwid, payload }) => [hwid, payload]))).toEqual(sent);
    }
    expect(events.map(({ attributes }) => attributes!.pushBody.endsWith('another'))).toEqual([false, false]);
    for (const n of [ios, android]) {
      const before = { ...registration(n), tags: { Name: `n "${n}"` } };
      await retryUntilAnswered(() => world.call('registerDevice', { application, ...before }));
    }
  });

  it('keep the values of a sent push no longer than the device', async () => {
    const values = databaseOf(mongo, 'dispatcher', databasePrefixOf(world.mongoUrl)).collection('sentValues');
    const token = apnsToken('accepted', 2_000);
    const tokens = async () => {
      const found = await values.find({ application }).toArray();
      const texts = found.flatMap(({ rounds }) => Object.values(rounds as Record<string, { toString(): string }>));
      return texts.map(String).filter((text) => text.includes(token)).length;
    };
    await world.call('registerDevice', { application, hwid: 'device-2000', device_type: IOS, push_token: token });
    await send({ content: 'Not for long', devices: ['device-2000'] });
    expect([take().length, await tokens()]).toEqual([1, 1]);
    await world.call('deleteDevice', { application, hwid: 'device-2000' });
    await world.settle();
    expect(await tokens()).toBe(0);
  });

  it('contain deliveries and opens as devices report them, the first of each', async () => {
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

  describe('reports with a foreign hash', () => {
    const FORGER = 12;
    const VICTIM = 14;
    let another: string;
    const written = async () => {
      const stored = {
        registry: ['devices'],
        statistics: ['groups', 'messages'],
        webhooks: ['webhooks.commits', 'deliveries'],
      };
      const contents = Object.entries(stored).flatMap(([service, collections]) =>
        collections.map(async (name) => {
          const collection = databaseOf(mongo, service, databasePrefixOf(world.mongoUrl)).collection(name);
          return [`${service}.${name}`, await collection.find().sort({ _id: 1 }).toArray()] as const;
        }),
      );
      return Object.fromEntries(await Promise.all(contents));
    };
    const figures = async () => {
      const { code } = parseStatisticsHash(pushTo(FORGER).hash)!;
      const message = await listedMessage(world, application, code);
      const { channels } = await world.call('getDeliveryFunnel', { message_code: code });
      return [channels, message!.push_info?.metrics];
    };
    const report = async (hwid: string, hash: string, of = application) => {
      for (const method of ['messageDeliveryEvent', 'pushStat'] as const) {
        await world.call(method, { application: of, hwid, hash });
      }
    };
    /** Longer than a report waits for the result of its push. */
    const settled = async () => {
      await world.settle();
      await world.advance(60);
      await world.settle();
    };

    beforeAll(async () => {
      another = await world.application();
      await world.call('registerDevice', { application: another, ...registration(FORGER) });
      await world.call('registerDevice', { application, ...registration(60) });
      await settled();
    });

    it('change nothing anywhere', async () => {
      const own = parseStatisticsHash(pushTo(FORGER).hash)!;
      const { device: victim } = parseStatisticsHash(pushTo(VICTIM).hash)!;
      const device = own.device!;
      const hashOf = ({ device: part, ...of }: StatisticsHash) => buildStatisticsHash(of, part);
      const unknown = 'C3F8-C3863ED4-334AD4F1';
      const before = { written: await written(), figures: await figures() };
      expect(before.written['registry.devices']!.length).toBeGreaterThan(DEVICES);
      expect(before.written['statistics.groups']!.length).toBeGreaterThan(0);
      expect(before.written['webhooks.webhooks.commits']!.length).toBeGreaterThan(0);

      const hwid = `device-${FORGER}`;
      const forged: readonly (readonly [hwid: string, hash: string])[] = [
        [`device-${VICTIM}`, hashOf(own)],
        [hwid, hashOf({ ...own, device: { ...device, seq: victim!.seq } })],
        [hwid, hashOf({ ...own, device: { ...device, platform: ANDROID } })],
        [hwid, hashOf({ ...own, device: { ...device, mac: device.mac ^ 1 } })],
        [hwid, hashOf({ ...own, device: victim })],
        [hwid, hashOf({ ...own, code: unknown })],
        [hwid, hashOf({ ...own, messageId: own.messageId + 1n })],
        [hwid, hashOf({ ...own, campaignId: 17n })],
        // A hash without our part only names a message.
        [hwid, hashOf({ ...own, code: unknown, device: undefined })],
        [hwid, hashOf({ ...own, messageId: own.messageId + 1n, device: undefined })],
        [hwid, 'P_0_1_bEL-4nm3p4-4bbkUN'],
        ['nobody', hashOf(own)],
        ['nobody', hashOf({ ...own, device: undefined })],
      ];
      for (const [from, hash] of forged) await report(from, hash);
      await report(hwid, hashOf(own), another);
      await report(hwid, hashOf({ ...own, device: undefined }), another);
      await settled();
      expect(take()).toEqual([]);
      expect({ written: await written(), figures: await figures() }).toEqual(before);
    });

    it('are ignored for a device that was deleted and registered again', async () => {
      await send({ content: 'Before it goes', devices: ['device-60'] });
      const { hash } = pushTo(60);
      await settled();
      take();
      await world.call('deleteDevice', { application, hwid: 'device-60' });
      await settled();
      const gone = await written();
      await report('device-60', hash);
      await settled();
      expect([take(), await written()]).toEqual([[], gone]);
      await world.call('registerDevice', { application, ...registration(60) });
      await settled();
      const back = await written();
      await report('device-60', hash);
      await settled();
      expect([take(), await written()]).toEqual([[], back]);
      await world.call('deleteDevice', { application, hwid: 'device-60' });
      await settled();
    });

    it('do not affect reports of a push of an earlier version, and genuine ones', async () => {
      const own = parseStatisticsHash(pushTo(FORGER).hash)!;
      // An earlier version packed number, platform, and a check of the hwid alone.
      const packed = (BigInt(own.device!.seq) << 32n) | (BigInt(own.device!.platform) << 24n) | 0x0a0b0cn;
      await report(`device-${FORGER}`, `${buildStatisticsHash(own)}_${toBase62(packed)}`);
      await report(`device-${VICTIM}`, pushTo(VICTIM).hash);
      await settled();
      const received = take().map((event) => `${numberOf(event)} ${event.eventName}`);
      expect(received.toSorted()).toEqual(
        [FORGER, VICTIM].flatMap((n) => [`${n} Push Delivered`, `${n} Push Opened`]).toSorted(),
      );
    });
  });

  it('contain the real code of a message that is not listed', async () => {
    await send({ content: 'Just you', devices: ['device-9'] });
    const [event] = take();
    expect(event!.messageCode).toBe(parseStatisticsHash(pushTo(9).hash)!.code);
    expect(event).toMatchObject({ hwid: 'device-9', attributes: { pushBody: 'Just you' } });
  });

  it('contain only the messages of a campaign if the subscription selects it', async () => {
    const of = await startSubscriber();
    const codeOf = async (name: string) => (await world.call('createCampaign', { application, name })).campaign;
    const [spring, summer] = [await codeOf('Spring'), await codeOf('Summer')];
    const { id } = await world.call('createSubscription', {
      endpoint: of.endpoint,
      events: EVENTS,
      campaigns: [spring],
    });
    try {
      await send({ content: 'Of none', devices: ['device-1'] });
      await send({ content: 'Of spring', devices: ['device-2', 'device-3'], campaign: spring });
      await send({ content: 'Of summer', devices: ['device-4'], campaign: summer });
      await world.call('pushStat', { application, hwid: 'device-3', hash: pushTo(3).hash });
      await world.call('pushStat', { application, hwid: 'device-4', hash: pushTo(4).hash });
      await world.settle();
      const received = of.received.map((event) => `${numberOf(event)} ${event.eventName}`);
      expect(received.toSorted()).toEqual(['2 Push Sent', '3 Push Delivered', '3 Push Opened', '3 Push Sent']);
      const { campaignId } = parseStatisticsHash(pushTo(2).hash)!;
      expect(new Set(of.received.map((event) => event.campaignId))).toEqual(new Set([campaignId]));
      expect(take()).toHaveLength(8);
    } finally {
      await world.call('deleteSubscription', { id });
      of.down();
    }
  });

  itWithoutKafka?.('are refused to a topic, which no other program could read (R-EV1)', async () => {
    const fault =
      'endpoint: kafka:// needs the distributed mode; the embedded mode has no Kafka for other programs to read';
    const endpoint = 'kafka://orders.events';
    await expect(world.call('createSubscription', { endpoint, events: EVENTS })).rejects.toThrow(fault);
    const { subscriptions } = await world.call('listSubscriptions');
    const change = world.call('changeSubscription', { id: subscriptions[0]!.id, endpoint });
    await expect(change).rejects.toThrow(fault);
    expect((await world.call('listSubscriptions')).subscriptions).toEqual(subscriptions);
  });

  itWithKafka?.('are published on a topic of the subscriber as on any stream, in order for each device', async () => {
    const topic = 'orders.events';
    const { id } = await world.call('createSubscription', { endpoint: `kafka://${topic}`, events: EVENTS });
    await send({ content: 'Everywhere' });
    for (const method of ['messageDeliveryEvent', 'pushStat'] as const)
      await world.call(method, { application, hwid: 'device-8', hash: pushTo(8).hash });
    await world.settle();
    const events = take();
    const records = await world.recordsOn(topic);
    const published = records.map(({ value }) => WebhookRequest.decode(value));
    const inOrder = (of: readonly WebhookRequest[]) =>
      of
        .map(({ uuid, payload, attributes }) => ({ uuid, payload, attributes }))
        .toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1));
    expect(inOrder(published)).toEqual(inOrder(events));
    expect(events).toHaveLength(DEVICES + 2);
    const names = published.filter(({ hwid }) => hwid === 'device-8').map(({ eventName }) => eventName);
    expect(names).toEqual(EVENTS);
    for (const [i, { key, headers }] of records.entries()) {
      expect([key, headers!['subscription']]).toEqual([`${application}/${published[i]!.hwid}`, id]);
    }
    await world.call('deleteSubscription', { id });
  });

  itWithKafka?.(
    'are printed by `tidings tap` as they are on the topic of a subscriber, and those of no other topic',
    async () => {
      const topic = 'shop.events';
      const tap = async (...words: string[]): Promise<string[]> => {
        let output = '';
        const program = programOf((text) => (output += text));
        const operator = ['--url', world.url, '--admin-token', world.secrets.admin];
        await program.parseAsync([...operator, 'tap', topic, '--from', 'earliest', ...words], { from: 'user' });
        return output.trimEnd().split('\n');
      };
      await expect(tap()).rejects.toThrow(/no subscription to kafka:\/\/shop.events; .* \(404\)/);
      const { id } = await world.call('createSubscription', { endpoint: `kafka://${topic}`, events: EVENTS });
      await send({ content: 'Tapped', devices: ['device-1', 'device-2', 'device-3'] });
      const records = await world.recordsOn(topic);
      const lines = (await tap('--limit', '3')).map((line) => /^(\S+) (\S+) (\S+) (.*)$/.exec(line)!.slice(1));
      expect(lines.map(([at, place, key]) => [at, place, key]).toSorted()).toEqual(
        records
          .map(({ timestamp, partition, offset, key }) => [
            ...[new Date(timestamp).toISOString(), `${partition}/${offset}`, key],
          ])
          .toSorted(),
      );
      const printed = lines.map(([, , , event]) => JSON.parse(event!) as Pick<ReceivedEvent, 'uuid' | 'payload'>);
      expect(new Map(printed.map(({ uuid, payload }) => [uuid, payload]))).toEqual(
        new Map(take().map(({ uuid, payload }) => [uuid, payload])),
      );
      const [own] = await tap('--limit', '1', '--key', 'device-2');
      expect(own).toContain(`${application}/device-2 {"eventName":"Push Sent"`);
      await world.call('deleteSubscription', { id });
      await expect(tap()).rejects.toThrow('(404)');
    },
  );

  it('continue at a dialled consumer after the end of an earlier one', async () => {
    const { id } = await world.call('createSubscription', { events: EVENTS });
    const dial = () =>
      dialIn({
        address: `127.0.0.1:${world.eventsPort}`,
        authorization: `Token ${world.secrets.api}`,
        subscription: id,
      });
    // A refused event may come again before the barrier is reached.
    const uuidsOf = (events: readonly WebhookRequest[]) => [...new Set(events.map(({ uuid }) => uuid))].toSorted();
    const first = await dial();
    first.answer = (event) => (numberOf(event) % 2 === 0 ? 'ok' : 'not yet');
    await send({ content: 'For whoever calls' });
    const events = take();
    expect(uuidsOf(first.received)).toEqual(uuidsOf(events));
    first.kill();
    await send({ content: 'For whoever calls again' });
    const second = await dial();
    // A late answer would come after the advance.
    await world.settle();
    await world.advance(120);
    await world.settle();
    const open = events.filter((event) => numberOf(event) % 2 === 1);
    expect(uuidsOf(second.received)).toEqual(uuidsOf([...open, ...take()]));
    await world.call('deleteSubscription', { id });
    expect(await second.ended).toEqual({ code: 5, details: 'subscription: not found' });
  });

  it('wait for an unavailable subscriber, and delay nothing meanwhile', async () => {
    subscriber.down();
    await send({ content: 'Away' });
    expect(take()).toEqual([]);
    await subscriber.up();
    await world.advance(120);
    await world.settle();
    expect(take().map(({ nth }) => nth)).toEqual(Array.from({ length: DEVICES }, () => 1));
  });

  it('reach a subscriber by HTTP that refuses, answers in part and is killed: each event once acknowledged, in order, signed', async () => {
    const receiver = await startHttpSubscriber();
    try {
      const { id, secret } = await world.call('createSubscription', { endpoint: receiver.endpoint, events: EVENTS });
      const again = async () => {
        await world.advance(120);
        await world.settle();
      };
      receiver.behaviour.answer = () => ({ status: 503 });
      await send({ content: 'Refused' });
      receiver.behaviour.answerEach = ({ uuid }, nth) => (nth > 2 || uuid < '8' ? 'ok' : 'failed');
      await again();
      receiver.down();
      for (const n of [4, 7]) await world.call('pushStat', { application, hwid: `device-${n}`, hash: pushTo(n).hash });
      await world.settle();
      receiver.behave();
      await receiver.up();
      await again();
      await again();
      const acked = receiver.received.filter(({ isAcked }) => isAcked);
      expect([acked.length, receiver.acknowledged().size]).toEqual([DEVICES + 4, DEVICES + 4]);
      expect(acked.filter(({ hwid }) => hwid === 'device-7').map(({ event_name: name }) => name)).toEqual(EVENTS);
      const { body, headers } = receiver.posts.at(-1)!;
      const key = Buffer.from(secret!.slice('whsec_'.length), 'base64');
      const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
      const signature = createHmac('sha256', key).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
      await world.call('deleteSubscription', { id });
      take();
    } finally {
      receiver.down();
    }
  });

  it('end with their subscription', async () => {
    const { subscriptions } = await world.call('listSubscriptions');
    expect(subscriptions).toMatchObject([{ account: 'default', endpoint: subscriber.endpoint, events: EVENTS }]);
    await world.call('deleteSubscription', { id: subscriptions[0]!.id });
    await send({ content: 'Gone' });
    expect([take(), subscriber.streams]).toEqual([[], 0]);
  });
});
