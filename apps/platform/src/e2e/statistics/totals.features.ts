import { beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken, fcmToken } from '@tidings/simulators';
import type { PlatformWorld } from '@tidings/testing';
import { android, ANDROID, ios, IOS, type MessagesUnderTest } from '../messages/testing/messages.ts';

const HOUR = 3600;
const DEVICES = 12;
const SENT = DEVICES - 1;

export function totalFeatures(test: MessagesUnderTest): void {
  const { sendOne, metricsOf } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  describe('totalsByIntervals', () => {
    let application: string;
    let first: string;
    let second: string;
    const platformOf = (i: number) => (i % 2 === 0 ? 'apns' : 'fcm');
    const tokenOf = (i: number): string => {
      if (i === 11) return fcmToken('dead', 20_011);
      return i % 2 === 0 ? apnsToken('accepted', 20_000 + i) : fcmToken('accepted', 20_000 + i);
    };
    const hashOf = (i: number, message: number): string =>
      world.simulators.ledger.of(platformOf(i)).entries({ token: tokenOf(i), limit: Infinity })[message]!.hash;
    const open = (i: number, message: number) =>
      world.call('pushStat', { application, hwid: `d-${i}`, hash: hashOf(i, message) });
    const event = (i: number, name: string, attributes: object = {}, timestampUTC?: number) =>
      world.call('postEvent', { application, hwid: `d-${i}`, event: name, attributes, timestampUTC });
    const totals = (code: string, platforms: number[] = []) =>
      world.call('totalsByIntervals', { message_code: code, platforms });
    const purchase = (i: number) =>
      world.call('setPurchase', {
        application,
        hwid: `d-${i}`,
        productIdentifier: 'p',
        quantity: 2,
        price: 1.5,
        currency: 'eur',
        transactionDate: '2020-01-01',
      });

    beforeAll(async () => {
      application = await world.application();
      await world.registerDevices(application, DEVICES, (i) => ({
        hwid: `d-${i}`,
        ...(i % 2 === 0 ? ios(tokenOf(i)) : android(tokenOf(i))),
      }));
      await event(0, 'Before');
      await world.advance(1);
      first = await sendOne(application, { content: 'one' });
      await world.settle();
      await Promise.all([open(0, 0), open(1, 0), open(2, 0)]);
      await world.call('messageDeliveryEvent', { application, hwid: 'd-3', hash: hashOf(3, 0) });
      await world.settle();
      const before = world.simulators.clock.now();
      await world.advance(HOUR);
      await event(0, 'Look');
      await event(3, 'Look');
      await event(1, 'Buy', { amount: '4.25', currency: 'usd' });
      await event(1, 'Buy', { amount: -1 });
      await purchase(2);
      await world.advance(1);
      second = await sendOne(application, { content: 'two' });
      await world.settle();
      await Promise.all([open(0, 1), open(4, 0), open(0, 0)]);
      await world.advance(60);
      await event(0, 'Look');
      await event(0, 'Look');
      await event(0, 'Late', {}, before + 60_000);
      await event(4, 'Look');
      await world.settle();
      await world.advance(24 * HOUR);
      await event(4, 'Look');
      await world.settle();
    });

    it('shows each counter in the hour of its own event, and sums that equal the metrics (R-H5)', async () => {
      for (const code of [first, second]) {
        const { metrics } = await totals(code);
        const listed = await metricsOf(application, code);
        const keys = metrics.map(({ timestamp, platform }) => `${timestamp} ${String(platform).padStart(2)}`);
        expect(keys).toEqual(keys.toSorted());
        expect(new Set(keys).size).toBe(keys.length);
        const sums = [IOS, ANDROID].map((platform) => {
          const sum = (counter: Exclude<keyof (typeof metrics)[number], 'timestamp' | 'platform'>): number =>
            metrics
              .filter((each) => each.platform === platform)
              .reduce((total, each) => total + Number(each[counter]), 0);
          return {
            platform,
            sends: sum('sends'),
            opens: sum('opens'),
            deliveries: sum('deliveries'),
            inbox_opens: sum('inbox_opens'),
            unshowable_sends: sum('unshowable_sends'),
            errors: sum('errors'),
          };
        });
        expect(listed).toEqual(sums);
      }
      const { metrics } = await totals(first);
      expect(metrics[0]).toMatchObject({ platform: IOS, sends: '6' });
      expect(metrics.at(-1)).toMatchObject({ platform: IOS, sends: '0', opens: '1', deliveries: '1' });
      expect(metrics.at(-1)!.timestamp > metrics[0]!.timestamp).toBe(true);
    });

    it('credits events to the message that the device opened last before them (R-H6)', async () => {
      expect((await totals(first)).conversion).toEqual({
        sends: String(SENT),
        opens: '4',
        events: [
          { name: 'Buy', hits: 2, conversion: 0.5, revenue: 4.25 },
          { name: 'In-app Purchase', hits: 1, conversion: 0.25, revenue: 3 },
          { name: 'Late', hits: 1, conversion: 0.25 },
          { name: 'Look', hits: 2, conversion: 0.5 },
        ],
      });
      expect((await totals(second)).conversion).toMatchObject({
        opens: '1',
        events: [{ name: 'Look', hits: 2, conversion: 2 }],
      });
    });

    it('restricts every counter to platforms', async () => {
      const { metrics, conversion } = await totals(first, [ANDROID]);
      expect(new Set(metrics.map(({ platform }) => platform))).toEqual(new Set([ANDROID]));
      expect(conversion).toEqual({
        sends: '5',
        opens: '1',
        events: [{ name: 'Buy', hits: 2, conversion: 2, revenue: 4.25 }],
      });
    });

    it('is refused for messages that are unknown (R-H7)', async () => {
      const totals = world.call('totalsByIntervals', { message_code: '0000-00000000-00000000' });
      await expect(totals).rejects.toMatchObject({ reply: { status: 404, body: { message: 'message not found' } } });
    });
  });
}
