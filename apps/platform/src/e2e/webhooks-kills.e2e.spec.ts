import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken, fcmToken, startSubscriber, type Subscriber } from '@tidings/simulators';
import { type Parameters, platformProcess, type ProcessWorld } from '@tidings/testing';

const DEVICES = 3000;

const registration = (n: number): Parameters => ({
  hwid: `device-${n}`,
  device_type: n % 2 === 0 ? 1 : 3,
  push_token: n % 2 === 0 ? apnsToken('accepted', n) : fcmToken('accepted', n),
});

describe('event streams of a platform that is killed', () => {
  let world: ProcessWorld;
  let subscriber: Subscriber;

  beforeAll(async () => {
    world = await platformProcess();
    subscriber = await startSubscriber();
  });
  afterAll(async () => {
    await world?.stop();
    subscriber?.down();
  });

  it('continue after the restart: every event is acknowledged, and only events in flight are repeated', async () => {
    const application = await world.application();
    await world.registerDevices(application, DEVICES, registration);
    await world.call('createSubscription', { endpoint: subscriber.endpoint, events: ['Push Sent'] });
    const message = { application, notifications: [{ content: 'Hello' }] };
    await world.call('createMessage', message);
    await world.settle(60_000);
    expect(subscriber.acknowledged().size).toBe(DEVICES);

    // No work is under way, so no event may be repeated.
    await world.kill('everything');
    await world.start();
    await world.settle(60_000);
    expect(subscriber.received).toHaveLength(DEVICES);

    for (const share of [0.2, 0.6]) {
      const before = subscriber.received.length;
      await world.call('createMessage', message);
      while (subscriber.received.length < before + share * DEVICES) await delay(5);
      await world.kill(share < 0.5 ? 'platform' : 'everything');
      await world.start();
      await world.settle(60_000);
    }
    const acknowledged = subscriber.acknowledged();
    expect(acknowledged.size).toBe(3 * DEVICES);
    const repeats = [...acknowledged.values()].filter((count) => count > 1).length;
    expect(repeats).toBeLessThan(2 * DEVICES);
  });
});
