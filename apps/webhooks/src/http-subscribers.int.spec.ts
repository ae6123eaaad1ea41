import { createRequire } from 'node:module';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { EventFormat } from '@tidings/events';
import { keysFrom } from '@tidings/runtime';
import { describeWithMongo, insideHosts, until } from '@tidings/testing';
import { type HttpSubscriber, type ReceivedPost, selfSigned } from './testing/test-subscriber.ts';
import { APPLICATION, seqsUpTo, World } from './testing/webhooks-world.ts';
import type { WebhooksService } from './webhooks.ts';

const SENT = { events: ['Push Sent'] };
const noFilters = { applications: [], platforms: [], messageCodes: [], campaigns: [] };

/** The reference implementation for receivers. */
const { Webhook } = createRequire(import.meta.url)('standardwebhooks') as {
  Webhook: new (secret: string) => { verify(body: string, headers: object): unknown };
};

function validWith({ body, headers }: ReceivedPost, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

describeWithMongo('subscribers by HTTP (R-EV6)', (mongo) => {
  let world: World;
  let webhooks: WebhooksService;
  let subscriber: HttpSubscriber;

  beforeEach(async () => {
    world = await new World(mongo).open();
    webhooks = await world.webhooks();
    subscriber = await world.httpSubscriber({ path: '/events?key=1' });
  });
  afterEach(() => world.close());

  const sizes = (): number[] => subscriber.posts.map(({ events }) => events.length);

  it('receive arrays of at most 500 events, each once and in order for a device', async () => {
    const COUNT = 1500;
    await world.subscribe(webhooks, subscriber);
    const message = await world.message();
    await world.sent(message, seqsUpTo(COUNT));
    await world.report('opened', message, seqsUpTo(50));
    await world.settle(webhooks);
    expect(subscriber.acknowledged().size).toBe(COUNT + 100);
    expect(subscriber.received).toHaveLength(COUNT + 100);
    expect(Math.max(...sizes())).toBeLessThanOrEqual(500);
    expect(sizes().length).toBeLessThan(20);
    expect(subscriber.mostAtOnce).toBeLessThanOrEqual(4);
    const names = subscriber.received.filter(({ hwid }) => hwid === 'hwid-7').map(({ event_name: name }) => name);
    expect(names).toEqual(['Push Sent', 'Push Delivered', 'Push Opened']);

    const [post] = subscriber.posts;
    expect([post!.path, post!.headers['content-type']]).toEqual(['/events?key=1', 'application/json']);
    const event = post!.events.find(({ hwid }) => hwid === 'hwid-2')!;
    expect(event).toMatchObject({
      event_name: 'Push Sent',
      message_id: '7',
      message_code: message,
      campaign_id: '0',
      platform: 'IOS',
      application_code: APPLICATION,
      user_id: 'user-2',
      attributes: { push_body: 'Hello' },
    });
    expect(JSON.parse(event['payload'] as string)).toMatchObject({ aps: { alert: 'Hello' } });
    expect(event['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it.each([
    ['an error, or a redirect', { status: 500 }, { status: 302, headers: { location: '/elsewhere' } }],
    ['a list that is too long', { status: 400, body: '[]' }, { status: 200, body: `[${' '.repeat(300_000)}]` }],
  ])('receive a batch that they refused by %s again until they acknowledge it', async (_, first, second) => {
    const refusals = [first, second, { status: 200, body: '<html>'.repeat(60_000) }];
    subscriber.behaviour.answer = (_, index) => refusals[index];
    await world.subscribe(webhooks, subscriber, SENT);
    await world.sent(await world.message(), seqsUpTo(5));
    for (let round = 0; round < 4; round++) {
      await world.settle(webhooks);
      world.clock.advance(60_000);
    }
    const bodies = subscriber.posts.map(({ body }) => body);
    expect(bodies).toEqual(refusals.map(() => bodies[0]));
    expect(await world.metrics.metrics()).toContain('tidings_webhooks_events_total{end="refused"} 10');
    expect(subscriber.posts.map(({ path }) => path)).toEqual(refusals.map(() => '/events?key=1'));
    expect(new Set(subscriber.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('answer for each event by a list, and receive the others again', async () => {
    subscriber.behaviour.answerEach = ({ hwid }, nth) => {
      if (hwid === 'hwid-1') return nth === 1 ? 'failed' : 'ok';
      return hwid === 'hwid-2' && nth === 1 ? undefined : 'ok';
    };
    await world.subscribe(webhooks, subscriber, SENT);
    await world.sent(await world.message(), seqsUpTo(4));
    await world.settle(webhooks);
    world.clock.advance(1_000);
    await world.settle(webhooks);
    const hwids = subscriber.posts.map(({ events }) => events.map(({ hwid }) => hwid));
    expect(hwids).toEqual([
      ['hwid-0', 'hwid-1', 'hwid-2', 'hwid-3'],
      ['hwid-1', 'hwid-2'],
    ]);
  });

  it('receive events again that they do not answer within 30 s', async () => {
    subscriber.behaviour.answer = (_, index) => (index === 0 ? undefined : { status: 204 });
    await world.subscribe(webhooks, subscriber, SENT);
    await world.sent(await world.message(), [1]);
    await until(() => subscriber.posts.length === 1);
    world.clock.advance(35_000);
    await until(() => subscriber.posts.length === 2);
    await world.settle(webhooks);
    expect([subscriber.acknowledged().size, sizes()]).toEqual([1, [1, 1]]);
  });

  it('are verified over TLS, also by additional certificates', async () => {
    const tls = selfSigned();
    const secure = await world.httpSubscriber({ tls });
    const endpoint = secure.endpoint.replace('127.0.0.1', 'localhost');
    await world.subscribe(webhooks, { endpoint }, SENT);
    await world.sent(await world.message(), [1]);
    await world.settle(webhooks);
    expect(secure.posts).toEqual([]);
    await webhooks.close();
    world.clock.advance(60_000);
    const trusting = await world.webhooks({ extraCa: tls.cert });
    await world.settle(trusting);
    expect(secure.acknowledged().size).toBe(1);
  });

  it('are never in a private network, unless the operator allows it', async () => {
    // Allowed when it was made: each connection checks the address again.
    await world.subscribe(webhooks, subscriber, SENT);
    await world.subscribe(webhooks, { endpoint: subscriber.endpoint.replace('127.0.0.1', 'localhost') }, SENT);
    await webhooks.close();
    const strict = await world.webhooks({ allowPrivate: [] });
    const { port } = new URL(subscriber.endpoint);
    const kinds = await Promise.all(
      ['127.0.0.1', 'localhost', '[::1]', ...insideHosts].map((host) =>
        world.subscribe(strict, { endpoint: `http://${host}:${port}/` }, SENT).then(
          () => 'accepted',
          (error: unknown) => (error as { kind: string }).kind,
        ),
      ),
    );
    expect(kinds.slice(0, 3)).toEqual(['argument', 'argument', 'argument']);
    await world.sent(await world.message(), [1]);
    await world.settle(strict);
    expect(subscriber.posts).toEqual([]);
    expect(await world.metrics.metrics()).toMatch(/tidings_webhooks_events_total\{end="broken"\} [2-9]/);
  });

  it('verify posts with each valid secret, under any master key', async () => {
    const [one, two] = [Buffer.alloc(32), Buffer.alloc(32, 2)];
    const { id, secret } = await webhooks.subscriptions.create({
      account: '',
      settings: { ...SENT, endpoint: subscriber.endpoint, enabled: true, ...noFilters },
    });
    const { subscription: found } = await webhooks.subscriptions.find({ id });
    const { subscriptions: listed } = await webhooks.subscriptions.list({});
    expect([found!.secret, ...listed.map((each) => each.secret)]).toEqual(['', '']);
    const post = async (service: WebhooksService): Promise<ReceivedPost> => {
      await world.sent(await world.message(), [1]);
      await world.settle(service);
      return subscriber.posts.at(-1)!;
    };
    expect(validWith(await post(webhooks), secret)).toBe(true);

    const { secret: next } = await webhooks.subscriptions.addSecret({ id });
    const twice = await post(webhooks);
    expect([secret, next].map((each) => validWith(twice, each))).toEqual([true, true]);

    await webhooks.close();
    const finished: string[] = [];
    const rotation = { isToCurrent: async () => true, finish: async (service: string) => void finished.push(service) };
    const { identity } = keysFrom(one);
    const rotating = await world.webhooks({ keys: { identity, master: [two, one], rotation } });
    await world.settle(rotating);
    expect(finished).toEqual(['webhooks']);
    await rotating.close();
    const rotated = await world.webhooks({ keys: { identity, master: [two] } });
    const after = await post(rotated);
    expect([secret, next].map((each) => validWith(after, each))).toEqual([true, true]);

    world.clock.advance(24 * 3_600_000);
    const later = await post(rotated);
    expect([secret, next].map((each) => validWith(later, each))).toEqual([false, true]);
    await expect(rotated.subscriptions.addSecret({ id: 'unknown' })).resolves.toEqual({ secret: '' });
    const stored = JSON.stringify(await world.db.collection('secrets').find().toArray());
    expect(stored).not.toContain(next.slice('whsec_'.length));
    await rotated.subscriptions.delete({ id });
    expect(await world.db.collection('secrets').countDocuments()).toBe(0);
  });

  it('receive batches of CloudEvents in the format json, with the same ids at each delivery (R-EV8)', async () => {
    subscriber.behaviour.answer = (_, index) => ({ status: index === 0 ? 500 : 204 });
    const { id, secret } = await webhooks.subscriptions.create({
      account: '',
      settings: {
        ...SENT,
        ...noFilters,
        endpoint: subscriber.endpoint,
        enabled: true,
        format: EventFormat.EVENT_FORMAT_JSON,
      },
    });
    const message = await world.message();
    await world.sent(message, seqsUpTo(3));
    await world.settle(webhooks);
    world.clock.advance(60_000);
    await world.settle(webhooks);
    const [first, again] = subscriber.posts;
    expect(again!.body).toBe(first!.body);
    expect(again!.headers['content-type']).toBe('application/cloudevents-batch+json');
    expect(validWith(again!, secret)).toBe(true);
    expect(JSON.parse(again!.body)).toMatchObject(
      [0, 1, 2].map((seq) => ({
        specversion: '1.0',
        source: `/applications/${APPLICATION}`,
        type: 'tidings.push.sent',
        subject: message,
        data: { event: 'push_sent', message_id: 7, platform: 'ios', hwid: `hwid-${seq}`, details: {} },
      })),
    );

    const of = { id, events: undefined, applications: undefined, platforms: undefined, messageCodes: undefined };
    const unchanged = { ...of, campaigns: undefined, enabled: undefined, endpoint: undefined };
    const stream = await world.subscriber();
    await expect(webhooks.subscriptions.change({ ...unchanged, endpoint: stream.endpoint })).rejects.toMatchObject({
      kind: 'argument',
      message: 'format: json needs an endpoint that begins with http://, https:// or kafka://',
    });
    await webhooks.subscriptions.change({ ...unchanged, format: EventFormat.EVENT_FORMAT_UNSPECIFIED });
    await world.sent(message, [9]);
    await world.settle(webhooks);
    const { headers, events } = subscriber.posts.at(-1)!;
    expect([headers['content-type'], events[0]!.event_name]).toEqual(['application/json', 'Push Sent']);
  });

  it('receive a secret when they replace a stream', async () => {
    const stream = await world.subscriber();
    const id = await world.subscribe(webhooks, stream, SENT);
    await expect(webhooks.subscriptions.addSecret({ id })).rejects.toMatchObject({ kind: 'conflict' });
    const change = async () => {
      const fields = {
        events: undefined,
        applications: undefined,
        platforms: undefined,
        messageCodes: undefined,
        campaigns: undefined,
      };
      const request = { ...fields, id, endpoint: subscriber.endpoint, enabled: undefined };
      return (await webhooks.subscriptions.change(request)).subscription!.secret;
    };
    const [secret, again] = [await change(), await change()];
    expect(again).toBe('');
    await world.sent(await world.message(), [1]);
    await world.settle(webhooks);
    expect(validWith(subscriber.posts[0]!, secret)).toBe(true);
  });

  it('are disabled after 72 hours of failures only, until they are enabled again, and others are not', async () => {
    const stream = await world.subscriber();
    stream.behaviour.answer = () => 'no';
    subscriber.behaviour.answer = (_, index) => ({ status: index === 3 ? 200 : 503 });
    const failing = await world.httpSubscriber();
    failing.behaviour.answer = () => ({ status: 503 });
    const ids = await Promise.all([failing, stream, subscriber].map((each) => world.subscribe(webhooks, each, SENT)));
    const message = await world.message();
    for (let round = 0; round < 5; round++) {
      await world.sent(message, [round]);
      await world.settle(webhooks);
      world.clock.advance(20 * 3_600_000);
    }
    await world.settle(webhooks);
    const shown = await Promise.all(ids.map((id) => webhooks.subscriptions.find({ id })));
    expect(shown.map(({ subscription }) => [subscription!.settings!.enabled, subscription!.disabledReason])).toEqual([
      [false, 'HTTP 503'],
      [false, 'refused with the status "no"'],
      [true, ''],
    ]);
    expect(shown.map(({ subscription }) => subscription!.disabledAt !== undefined)).toEqual([true, true, false]);

    failing.behave();
    const list = {
      events: undefined,
      applications: undefined,
      platforms: undefined,
      messageCodes: undefined,
      campaigns: undefined,
    };
    await webhooks.subscriptions.change({ ...list, id: ids[0]!, endpoint: undefined, enabled: true });
    const { subscription } = await webhooks.subscriptions.find({ id: ids[0]! });
    expect(subscription).toMatchObject({ settings: { enabled: true }, disabledReason: '', disabledAt: undefined });
    await world.sent(message, [77]);
    await world.settle(webhooks);
    expect(failing.received.filter(({ isAcked }) => isAcked).map(({ hwid }) => hwid)).toEqual(['hwid-77']);
  });
});
