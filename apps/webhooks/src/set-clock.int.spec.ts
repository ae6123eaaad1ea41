import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeWithMongo, until } from '@tidings/testing';
import type { Subscriber } from './testing/test-subscriber.ts';
import { World } from './testing/webhooks-world.ts';
import type { WebhooksService } from './webhooks.ts';

const HOUR_MS = 3_600_000;
const REFUSED = [0, 1, 2, 3, 4];

describeWithMongo('events after a step of the clock (ADR 60)', (mongo) => {
  let world: World;
  let webhooks: WebhooksService;
  let subscriber: Subscriber;
  let id: string;

  beforeEach(async () => {
    world = await new World(mongo).open();
    webhooks = await world.webhooks();
    subscriber = await world.subscriber();
    id = await world.subscribe(webhooks, subscriber, { events: ['Push Sent'] });
  });
  afterEach(() => world.close());

  const view = async () => (await webhooks.subscriptions.find({ id })).subscription!;
  const passUntil = async (condition: () => boolean | Promise<boolean>, halfMinutes = 20): Promise<void> => {
    for (let left = halfMinutes; left > 0; left--) {
      await world.settle(webhooks);
      if (await condition()) return;
      world.clock.advance(30_000);
    }
    throw new Error(`not within ${halfMinutes} half minutes`);
  };
  const refuse = async (): Promise<void> => {
    subscriber.behaviour.answer = () => 'no';
    const message = await world.message();
    await world.sent(message, REFUSED);
    await passUntil(async () => (await view()).deferredEvents === REFUSED.length);
    await world.sent(message, [7]);
    await until(() => subscriber.received.some(({ hwid }) => hwid === 'hwid-7'));
    await world.settle(webhooks);
  };
  const taken = (): boolean => subscriber.acknowledged().size === REFUSED.length + 1;

  it('wait for minutes at most after a step of two hours back', async () => {
    await refuse();
    world.clock.step(-2 * HOUR_MS);
    subscriber.behaviour.answer = () => 'ok';
    await passUntil(taken, 6);
  });

  it('wait for minutes at most if the process begins after that, and the subscriber was unavailable', async () => {
    await refuse();
    subscriber.down();
    await webhooks.close();
    world.clock.step(-2 * HOUR_MS);
    webhooks = await world.webhooks();
    await world.settle(webhooks);
    world.clock.step(-2 * HOUR_MS);
    subscriber.behaviour.answer = () => 'ok';
    await subscriber.up();
    await passUntil(taken, 6);
  });

  it('are neither given up nor lost after a step forward, and their subscription stays enabled', async () => {
    await refuse();
    for (let step = 0; step < 4; step++) {
      world.clock.step(20 * HOUR_MS);
      const before = subscriber.received.length;
      await passUntil(() => subscriber.received.length > before);
      // The expiry runs once a minute.
      world.clock.advance(60_000);
      await world.settle(webhooks);
    }
    expect(await view()).toMatchObject({ settings: { enabled: true }, disabledReason: '' });
    subscriber.behaviour.answer = () => 'ok';
    await passUntil(taken, 6);
    expect(await world.metrics.metrics()).not.toMatch(/events_total\{end="(given_up|gone|dropped)"\} [1-9]/);
  });
});
