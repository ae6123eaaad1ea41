import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken, startSubscriber } from '@tidings/simulators';
import { retryUntilAnswered, platform, type StoredWorld, until } from '@tidings/testing';

const EVENTS = ['Push Sent', 'Push Delivered', 'Push Opened'];

describe('refused events', () => {
  let world: StoredWorld;
  let application: string;
  const devices = ['device-5', 'device-6', 'device-61'];
  const tokenOf = (hwid: string): string => apnsToken('accepted', Number(hwid.split('-')[1]));
  const opens = (hwid: string) => {
    const push = world.simulators.ledger
      .of('apns')
      .entries({ token: tokenOf(hwid), limit: Infinity })
      .at(-1)!;
    return world.call('pushStat', { application, hwid, hash: push.hash });
  };

  beforeAll(async () => {
    world = await platform();
    application = await world.application();
    for (const hwid of devices)
      await world.call('registerDevice', { application, hwid, device_type: 1, push_token: tokenOf(hwid) });
  });
  afterAll(() => world?.stop());

  it('are deferred, delay no others, and are deleted with their device', async () => {
    const of = await startSubscriber();
    of.behaviour.answer = ({ hwid }) => (['device-5', 'device-61'].includes(hwid) ? 'not this one' : 'ok');
    const { id } = await world.call('createSubscription', { endpoint: of.endpoint, events: EVENTS });
    const deferred = async () => (await world.call('getSubscription', { id })).deferred_events;
    const deferredAre = (count: number) =>
      until(async () => {
        await world.advance(60);
        await world.settle();
        return (await deferred()) === count;
      });
    const eventsOf = (hwid: string) => of.received.filter((event) => event.hwid === hwid);
    try {
      const notifications = [{ content: 'Not for all', devices, transactionId: randomUUID() }];
      await retryUntilAnswered(() => world.call('createMessage', { application, notifications }));
      await world.settle();
      await deferredAre(2);
      await opens('device-5');
      await opens('device-6');
      await world.settle();
      expect(eventsOf('device-6').map(({ eventName }) => eventName)).toEqual(EVENTS);
      await deferredAre(4);
      const shown = (await world.call('listSubscriptions')).subscriptions.find((each) => each.id === id)!;
      expect(shown).toMatchObject({ dropped_events: 0, oldest_deferred_at: expect.any(String) });

      await world.call('deleteDevice', { application, hwid: 'device-61' });
      await deferredAre(3);
      of.behave();
      await deferredAre(0);
      const acknowledged = eventsOf('device-5').filter(({ answer }) => answer === 'ok');
      expect(acknowledged.map(({ eventName }) => eventName)).toEqual(EVENTS);
      expect(eventsOf('device-61').every(({ answer }) => answer !== 'ok')).toBe(true);
    } finally {
      await world.call('deleteSubscription', { id });
      of.down();
    }
  });
});
