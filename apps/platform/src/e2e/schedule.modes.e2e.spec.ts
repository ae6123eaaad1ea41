import { describe, expect, it } from '@jest/globals';
import { fcmToken } from '@tidings/simulators';
import { listedMessage, type Parameters } from '@tidings/testing';
import { android, CODE, MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();
const HOUR = 3600;

const inAnHour = async (hoursAhead = 0): Promise<string> => {
  const { now } = await test.world.call('advanceClock', { advance_seconds: 0 });
  return new Date(Date.parse(now) + (1 + hoursAhead) * HOUR * 1000).toISOString().slice(0, 19);
};

const scheduled = async (...notifications: readonly (() => Promise<Parameters>)[]) => {
  const application = await test.world.application();
  const token = fcmToken('accepted', Math.floor(Math.random() * 1e9));
  await test.register(application, 'phone', android(token));
  const given = await Promise.all(notifications.map((make) => make()));
  const { Messages: codes } = await test.send(application, ...given);
  await test.world.settle();
  return {
    codes,
    statuses: () =>
      Promise.all(codes.map(async (code) => (await listedMessage(test.world, application, code))?.status)),
    pushes: () => test.pushesTo('fcm', token).length,
    async anHourLater() {
      await test.world.advance(HOUR + 1);
      await test.world.settle();
    },
  };
};

describe('a message with a send date ahead', () => {
  it('waits as PENDING, is sent when it is due, and ends as DONE (R-I7, R-S1)', async () => {
    const { codes, statuses, pushes, anHourLater } = await scheduled(
      async () => ({ content: 'later', send_date: await inAnHour() }),
      async () => ({ content: 'to one device', devices: ['phone'], send_date: `${await inAnHour()}Z` }),
      // Tokyo has no daylight saving time.
      async () => ({ content: 'in a zone', timezone: 'asia/tokyo', send_date: await inAnHour(9) }),
      async () => ({ content: 'much later', send_date: await inAnHour(2) }),
    );
    for (const code of codes) expect(code).toMatch(CODE);
    expect(await statuses()).toEqual(['PENDING', 'PENDING', 'PENDING', 'PENDING']);
    expect(pushes()).toBe(0);
    await anHourLater();
    expect(await statuses()).toEqual(['DONE', 'DONE', 'DONE', 'PENDING']);
    expect(pushes()).toBe(3);
  });

  it('is canceled by deleteMessage, reaches no device, and stays in the history (R-I29)', async () => {
    const { codes, statuses, pushes, anHourLater } = await scheduled(
      async () => ({ content: 'canceled', send_date: await inAnHour() }),
      async () => ({ content: 'kept', send_date: await inAnHour() }),
    );
    const remove = (message: string) => test.world.reply('deleteMessage', { message });
    const [canceled, kept] = codes as [string, string];
    expect(await remove(canceled.toLowerCase())).toMatchObject({ status: 200, body: { status_code: 200 } });
    expect(await statuses()).toEqual(['CANCELED', 'PENDING']);
    expect(await remove(canceled)).toMatchObject({ body: { status_message: 'Message cannot be deleted' } });
    await anHourLater();
    expect(await statuses()).toEqual(['CANCELED', 'DONE']);
    expect(pushes()).toBe(1);
    expect(await remove(kept)).toMatchObject({
      body: { status_code: 210, status_message: 'Message cannot be deleted', response: null },
    });
  });

  it('keeps its transactionId for 300 seconds from its acceptance (R-I10)', async () => {
    const transactionId = `order-${Math.random()}`;
    const make = async () => ({ content: 'once', transactionId, send_date: await inAnHour() });
    const { codes, pushes, anHourLater } = await scheduled(make, make);
    expect(codes[0]).toBe(codes[1]);
    await anHourLater();
    expect(pushes()).toBe(1);
  });
});
