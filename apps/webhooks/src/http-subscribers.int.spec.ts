import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeWithMongo, insideHosts } from '@tidings/testing';
import { type HttpSubscriber, selfSigned } from './testing/test-subscriber.ts';
import { APPLICATION, seqsUpTo, until, World } from './testing/webhooks-world.ts';
import type { WebhooksService } from './webhooks.ts';

const SENT = { events: ['Push Sent'] };

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

  it('get arrays of at most 500 events, each once and in order for a device', async () => {
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
    const names = subscriber.received.filter(({ hwid }) => hwid === 'hwid-7').map(({ event_name: name }) => name);
    expect(names).toEqual(['Push Sent', 'Push Delivered', 'Push Opened']);

    const [post] = subscriber.posts;
    expect([post!.path, post!.headers['content-type']]).toEqual(['/events?key=1', 'application/json']);
    const event = post!.events.find(({ hwid }) => hwid === 'hwid-2')!;
    expect(event).toMatchObject({
      ...{ event_name: 'Push Sent', message_id: '7', message_code: message, campaign_id: '0', platform: 'IOS' },
      ...{ application_code: APPLICATION, user_id: 'user-2', attributes: { push_body: 'Hello' } },
    });
    expect(JSON.parse(event['payload'] as string)).toMatchObject({ aps: { alert: 'Hello' } });
    expect(event['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('get what they refuse again, the same batch, until they acknowledge it', async () => {
    const refusals = [
      { status: 500 },
      { status: 302, headers: { location: '/elsewhere' } },
      { status: 400, body: '[]' },
      { status: 200, body: `[${' '.repeat(300_000)}]` },
      { status: 200, body: '<html>'.repeat(60_000) },
    ];
    subscriber.behaviour.answer = (_, index) => refusals[index];
    await world.subscribe(webhooks, subscriber, SENT);
    await world.sent(await world.message(), seqsUpTo(5));
    for (let round = 0; round < 6; round++) {
      await world.settle(webhooks);
      world.clock.advance(60_000);
    }
    const bodies = subscriber.posts.map(({ body }) => body);
    expect(bodies).toEqual(refusals.map(() => bodies[0]));
    expect(await world.metrics.metrics()).toContain('tidings_webhooks_events_total{end="refused"} 20');
    expect(subscriber.posts.map(({ path }) => path)).toEqual(refusals.map(() => '/events?key=1'));
  });

  it('answer for each event by a list, and get the others again', async () => {
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

  it('that are killed, silent or slow get all events, a few posts at a time, and delay no others', async () => {
    const COUNT = 1200;
    const other = await world.httpSubscriber();
    await world.subscribe(webhooks, subscriber, SENT);
    await world.subscribe(webhooks, other, SENT);
    let silent = true;
    subscriber.behaviour.answer = () => (silent ? undefined : { status: 200 });
    await world.sent(await world.message(), seqsUpTo(COUNT));
    await until(() => other.acknowledged().size === COUNT && subscriber.posts.length > 0);
    expect(other.received).toHaveLength(COUNT);
    expect(subscriber.received.length).toBeLessThanOrEqual(1000);

    subscriber.down();
    await world.settle(webhooks);
    silent = false;
    subscriber.behaviour.delayMs = 20;
    await subscriber.up();
    for (let round = 0; subscriber.acknowledged().size < COUNT && round < 20; round++) {
      world.clock.advance(60_000);
      await world.settle(webhooks);
    }
    expect(subscriber.acknowledged().size).toBe(COUNT);
    expect(subscriber.mostAtOnce).toBeLessThanOrEqual(4);
  });

  it('that do not answer within 30 s get their events again', async () => {
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
    const trusting = await world.webhooks({ extraCa: tls.cert });
    world.clock.advance(60_000);
    await world.settle(trusting);
    expect(secure.acknowledged().size).toBe(1);
  });

  it('are never in a private network, unless the operator allows it', async () => {
    // One that was allowed when it was made: the address is checked again for each connection.
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
    expect(await world.metrics.metrics()).toContain('tidings_webhooks_events_total{end="broken"} 2');
  });
});
