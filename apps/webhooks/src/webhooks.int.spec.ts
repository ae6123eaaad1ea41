import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Fault, Platform } from '@tidings/kernel';
import { describeWithMongo, insideHosts, until } from '@tidings/testing';
import { eventUuids } from './events/uuid.ts';
import { type ReceivedEvent, selfSigned, type Subscriber } from './testing/test-subscriber.ts';
import { APPLICATION, seqsUpTo, World } from './testing/webhooks-world.ts';
import type { WebhooksService } from './webhooks.ts';

const HOUR_MS = 3_600_000;

const textsOf = (events: readonly ReceivedEvent[]): string[] =>
  events.map(({ eventName, hwid }) => `${eventName} ${hwid}`);

describeWithMongo('webhooks', (mongo) => {
  let world: World;
  let webhooks: WebhooksService;
  let subscriber: Subscriber;

  beforeEach(async () => {
    world = await new World(mongo).open();
    webhooks = await world.webhooks();
    subscriber = await world.subscriber();
  });
  afterEach(() => world.close());

  it('sends the events of a message in order: sent, delivered, opened, each once', async () => {
    await world.subscribe(webhooks, subscriber);
    const message = await world.message();
    await world.sent(message, [2, 5]);
    await world.settle(webhooks);
    await world.report('delivered', message, [5, 5]);
    await world.report('opened', message, [5]);
    await world.report('opened', message, [5, 2]);
    await world.report('delivered', message, [2]);
    await world.sent(message, [2, 5]);
    await world.settle(webhooks);

    expect(textsOf(subscriber.received).toSorted()).toEqual([
      'Push Delivered hwid-2',
      'Push Delivered hwid-5',
      'Push Opened hwid-2',
      'Push Opened hwid-5',
      'Push Sent hwid-2',
      'Push Sent hwid-5',
    ]);
    for (const hwid of ['hwid-2', 'hwid-5']) {
      expect(subscriber.received.filter((event) => event.hwid === hwid).map(({ eventName }) => eventName)).toEqual([
        'Push Sent',
        'Push Delivered',
        'Push Opened',
      ]);
    }
    const sent = subscriber.received.find(({ hwid, eventName }) => hwid === 'hwid-2' && eventName === 'Push Sent')!;
    expect(sent).toMatchObject({
      messageId: 7n,
      messageCode: message,
      campaignId: 0n,
      platform: 'IOS',
      applicationCode: APPLICATION,
      userId: 'user-2',
      journeyTitle: '',
      journeyPointTitle: '',
      attributes: { pushBody: 'Hello' },
      uuid: eventUuids({ messageId: 7n, application: APPLICATION, name: 'Push Sent' })('hwid-2'),
    });
    expect(JSON.parse(sent.payload)).toMatchObject({ aps: { alert: 'Hello' } });
    const opened = subscriber.received.find(({ hwid, eventName }) => hwid === 'hwid-5' && eventName === 'Push Opened')!;
    expect(opened).toMatchObject({ payload: '{}', userId: 'hwid-5', attributes: { pushBody: 'Hello' } });
    expect(Math.abs(opened.timestamp!.getTime() - world.clock.now())).toBeLessThan(60_000);
    expect(subscriber.opened).toBe(1);
    expect(await world.metrics.metrics()).toContain('tidings_webhooks_events_total{end="acked"} 6');
  });

  it('describes the devices of a slice in one request, and sends only selected events', async () => {
    const other = await world.subscriber();
    await world.subscribe(webhooks, subscriber, { events: ['Push Sent'], platforms: [Platform.Android] });
    await world.subscribe(webhooks, other, { applications: ['CCCCC-DDDDD'] });
    const message = await world.message();
    await world.sent(message, seqsUpTo(80), Platform.Android);
    await world.sent(message, seqsUpTo(200).slice(100), Platform.iOS);
    await world.report('opened', message, [1, 2]);
    await world.settle(webhooks);
    expect(subscriber.received).toHaveLength(80);
    expect(new Set(subscriber.received.map(({ platform }) => platform))).toEqual(new Set(['ANDROID']));
    expect(other.received).toEqual([]);
    expect(world.described).toHaveLength(1);
  });

  it('sends the events of selected campaigns only', async () => {
    const campaigns = [{ code: 'C1B2C-3D4E5', id: '17' }];
    await world.subscribe(webhooks, subscriber, { events: ['Push Sent'], campaigns });
    await world.sent(await world.message(), [1]);
    await world.sent(await world.message({ campaignId: 18n }), [2]);
    await world.sent(await world.message({ campaignId: 17n }), [3]);
    await world.settle(webhooks);
    expect(textsOf(subscriber.received)).toEqual(['Push Sent hwid-3']);
    expect(subscriber.received[0]).toMatchObject({ campaignId: 17n });
  });

  it('resends refused events with delays, and accepts late answers', async () => {
    await world.subscribe(webhooks, subscriber, { events: ['Push Sent'] });
    subscriber.behaviour.answer = (_event, nth) => (nth <= 2 ? 'failed' : 'SUCCESS');
    const message = await world.message();
    await world.sent(message, [1]);
    await world.settle(webhooks);
    expect(subscriber.received.map(({ nth }) => nth)).toEqual([1]);
    world.clock.advance(1000);
    await world.settle(webhooks);
    world.clock.advance(1000);
    await world.settle(webhooks);
    expect(subscriber.received.map(({ nth }) => nth)).toEqual([1, 2]);
    world.clock.advance(1000);
    await world.settle(webhooks);
    world.clock.advance(24 * HOUR_MS);
    await world.settle(webhooks);
    expect(subscriber.received.map(({ nth, answer }) => [nth, answer])).toEqual([
      [1, 'failed'],
      [2, 'failed'],
      [3, 'SUCCESS'],
    ]);
    expect(new Set(subscriber.received.map(({ uuid }) => uuid)).size).toBe(1);
  });

  it('resends events without an answer after 30 s, on a new stream if none was answered', async () => {
    await world.subscribe(webhooks, subscriber, { events: ['Push Sent'] });
    subscriber.behaviour.answer = (_event, nth) => (nth === 1 ? undefined : '200');
    await world.sent(await world.message(), [1, 2]);
    await until(() => subscriber.received.length === 2);
    await until(async () => (await webhooks.operations.settled({})).open.length === 1);
    world.clock.advance(30_000);
    // The stream reopens after a second and resends the unacknowledged events.
    await until(() => subscriber.received.length === 4);
    await world.settle(webhooks);
    expect(subscriber.received.map(({ nth, stream }) => [nth, stream])).toEqual([
      [1, 1],
      [1, 1],
      [2, 2],
      [2, 2],
    ]);
  });

  it('gives up after 72 hours', async () => {
    await world.subscribe(webhooks, subscriber, { events: ['Push Sent'] });
    subscriber.behaviour.answer = () => 'no';
    await world.sent(await world.message(), [1]);
    await world.settle(webhooks);
    world.clock.advance(71 * HOUR_MS);
    await world.settle(webhooks);
    expect(subscriber.received).toHaveLength(2);
    world.clock.advance(HOUR_MS);
    await world.settle(webhooks);
    world.clock.advance(60_000);
    await world.settle(webhooks);
    expect(subscriber.received).toHaveLength(2);
  });

  it('resumes after a restart', async () => {
    await world.subscribe(webhooks, subscriber, { events: ['Push Sent'] });
    subscriber.behaviour.answer = ({ hwid }, nth) => (hwid === 'hwid-3' && nth === 1 ? 'later' : 'ok');
    const message = await world.message();
    await world.sent(message, seqsUpTo(10));
    await world.settle(webhooks);
    await webhooks.close();
    await world.sent(message, [10, 11]);

    const again = await world.webhooks();
    await world.settle(again);
    world.clock.advance(1000);
    await world.settle(again);
    expect(subscriber.received.filter(({ nth }) => nth > 1).map(({ hwid }) => hwid)).toEqual(['hwid-3']);
    expect(subscriber.acknowledged().size).toBe(12);
  });

  it('shares streams between replicas, and moves those of a stopped one to the other', async () => {
    const replica = await world.webhooks();
    const subscribers = await Promise.all(Array.from({ length: 16 }, () => world.subscriber()));
    await Promise.all(subscribers.map((each, i) => world.subscribe(i % 2 === 0 ? webhooks : replica, each)));
    const streamsOf = async () => {
      const streams = await world.db.collection<{ owner?: string }>('streams').find().toArray();
      return Map.groupBy(streams, ({ owner }) => owner ?? 'nobody');
    };
    await until(async () => !(await streamsOf()).has('nobody') && (await streamsOf()).size === 2);

    const message = await world.message();
    for (let first = 0; first < 200; first += 50) await world.sent(message, seqsUpTo(first + 50).slice(first));
    await world.report('opened', message, seqsUpTo(50));
    await world.settle(webhooks, replica);
    for (const each of subscribers) {
      expect(each.received).toHaveLength(300);
      expect(each.acknowledged().size).toBe(300);
    }
    await replica.close();
    await world.report('delivered', message, [150]);
    await world.settle(webhooks);
    for (const each of subscribers) expect(textsOf(each.received.slice(300))).toEqual(['Push Delivered hwid-150']);
    expect((await streamsOf()).size).toBe(1);
  });

  it('stops when another process owns the stream, and reclaims it after the end of that process', async () => {
    const id = await world.subscribe(webhooks, subscriber, { events: ['Push Sent'] });
    const message = await world.message();
    await world.sent(message, [1]);
    await world.settle(webhooks);
    const streams = world.db.collection<{ _id: string; owner: string }>('streams');
    const owners = world.db.collection<{ _id: string; until: Date }>('owners');
    await owners.insertOne({ _id: 'other', until: new Date(Date.now() + 60_000) });
    await streams.updateOne({ _id: id }, { $set: { owner: 'other' } });
    await world.sent(message, [2]);
    await until(() => subscriber.streams === 0);
    const before = subscriber.received.length;
    await world.sent(message, [3]);
    // A live process owns the stream, so nothing is due here.
    await world.settle(webhooks);
    expect(subscriber.received).toHaveLength(before);

    await owners.updateOne({ _id: 'other' }, { $set: { until: new Date(0) } });
    await until(async () => (await streams.findOne({ _id: id }))!.owner !== 'other');
    await world.settle(webhooks);
    expect(textsOf(subscriber.received.slice(before)).slice(-1)).toEqual(['Push Sent hwid-3']);
    expect((await streams.findOne({ _id: id }))!.owner).not.toBe('other');
  });

  it('sends no events from before a subscription, or while it was disabled', async () => {
    const message = await world.message();
    await world.sent(message, [1]);
    const id = await world.subscribe(webhooks, subscriber, { events: ['Push Sent'] });
    await world.sent(message, [2]);
    await world.settle(webhooks);
    const change = (fields: object) =>
      webhooks.subscriptions.change({
        id,
        events: undefined,
        applications: undefined,
        platforms: undefined,
        messageCodes: undefined,
        campaigns: undefined,
        ...fields,
      });
    await change({ enabled: false });
    await until(() => subscriber.streams === 0);
    await world.sent(message, [3]);
    await world.settle(webhooks);
    await change({ enabled: true });
    await world.sent(message, [4]);
    await world.settle(webhooks);
    const elsewhere = await world.subscriber();
    await change({ endpoint: elsewhere.endpoint });
    await world.sent(message, [5]);
    await world.settle(webhooks);
    expect(await webhooks.subscriptions.delete({ id })).toEqual({ deleted: true });
    await world.sent(message, [6]);
    await world.settle(webhooks);
    expect(textsOf(subscriber.received).filter((event) => event !== 'Push Sent hwid-1')).toEqual([
      'Push Sent hwid-2',
      'Push Sent hwid-4',
    ]);
    expect(textsOf(elsewhere.received)).toEqual(['Push Sent hwid-5']);
    expect(await webhooks.subscriptions.find({ id })).toEqual({ subscription: undefined });
    expect(await webhooks.subscriptions.delete({ id })).toEqual({ deleted: false });
  });

  it('delays a report until its Sent, at most 30 s, and drops one of an unknown message', async () => {
    await world.subscribe(webhooks, subscriber);
    const message = await world.message();
    await world.report('opened', message, [1, 2]);
    await world.report('opened', 'FFFF-00000000-00000000', [1]);
    await world.settle(webhooks);
    expect(subscriber.received).toEqual([]);
    await world.sent(message, [1]);
    await world.settle(webhooks);
    expect(textsOf(subscriber.received)).toEqual(['Push Sent hwid-1', 'Push Delivered hwid-1', 'Push Opened hwid-1']);
    world.clock.advance(30_000);
    await world.settle(webhooks);
    expect(textsOf(subscriber.received.slice(3))).toEqual(['Push Delivered hwid-2', 'Push Opened hwid-2']);
  });

  it('sends the events of a mail in order, although a click precedes the outcome of its slice', async () => {
    await world.subscribe(webhooks, subscriber, { events: ['Email Sent', 'Email Opened', 'Email Clicked'] });
    const message = await world.message();
    await world.report('followed', message, [1], 'https://a.example/');
    await world.settle(webhooks);
    expect(subscriber.received).toEqual([]);
    await world.sent(message, [1], Platform.Email);
    await world.settle(webhooks);
    expect(textsOf(subscriber.received)).toEqual(['Email Sent hwid-1', 'Email Opened hwid-1', 'Email Clicked hwid-1']);
    expect(JSON.parse(subscriber.received[2]!.payload)).toEqual({ url: 'https://a.example/' });
  });

  it('sends no events of removed devices', async () => {
    await world.subscribe(webhooks, subscriber);
    const message = await world.message();
    await world.sent(message, [1_000_000, 1_000_001]);
    await world.sent(message, [3]);
    await world.settle(webhooks);
    expect(textsOf(subscriber.received)).toEqual(['Push Sent hwid-3']);
  });

  it('uses TLS, and the method of the endpoint', async () => {
    const tls = selfSigned();
    const secure = await world.subscriber({ tls, method: '/my.own.Hooks/Stream' });
    await webhooks.close();
    const trusting = await world.webhooks({ extraCa: tls.cert });
    const endpoint = `${secure.endpoint.replace('127.0.0.1', 'localhost')}/my.own.Hooks/Stream`;
    await world.subscribe(trusting, { endpoint }, { events: ['Push Sent'] });
    await world.sent(await world.message(), [1]);
    await world.settle(trusting);
    expect(secure.acknowledged().size).toBe(1);
  });

  it('refuses more than 1,000 subscriptions of an account', async () => {
    const settings = {
      endpoint: '',
      events: ['Push Sent'],
      enabled: false,
      applications: [],
      platforms: [],
      messageCodes: [],
      campaigns: [],
    };
    const fields = { account: 'full', settings, createdAt: new Date(), since: new Date(), version: 1 };
    const stored = Array.from({ length: 999 }, (_, n) => ({ _id: `stored-${n}`, ...fields }));
    await world.db.collection<(typeof stored)[number]>('subscriptions').insertMany(stored);
    const create = (account: string) => webhooks.subscriptions.create({ account, settings });
    const { id } = await create('full');
    await expect(create('full')).rejects.toMatchObject({
      kind: 'argument',
      message: 'Subscription limit reached (1000)',
    });
    expect((await create('another')).account).toBe('another');
    await webhooks.subscriptions.delete({ id });
    expect((await create('full')).account).toBe('full');
  });

  it('refuses private addresses, unless the operator allows them', async () => {
    await webhooks.close();
    const strict = await world.webhooks({ allowPrivate: [] });
    let connections = 0;
    const server = createServer(() => connections++);
    await once(server.listen(0, '0.0.0.0'), 'listening');
    const { port } = server.address() as AddressInfo;
    for (const endpoint of insideHosts.flatMap((host) => [`grpc://${host}:${port}`, `grpcs://${host}:${port}`])) {
      const kind = await world.subscribe(strict, { endpoint }).then(
        () => 'accepted',
        (error: unknown) => (error as Fault).kind,
      );
      // The name is resolved again before each stream.
      const { hostname } = new URL(endpoint);
      const isName = await lookup(hostname.replace(/^\[(.*)\]$/, '$1')).catch(() => undefined);
      expect([endpoint, kind]).toEqual([
        endpoint,
        isName ? 'argument' : expect.stringMatching(/^(argument|accepted)$/),
      ]);
    }
    expect(connections).toBe(0);
    server.close();
    await expect(world.subscribe(strict, { endpoint: 'smtp://localhost:1' })).rejects.toMatchObject({
      kind: 'argument',
    });
  });
});
