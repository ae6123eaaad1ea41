import { describe, expect, it } from '@jest/globals';
import { fcmToken } from '@tidings/simulators';
import { listedMessage, type Parameters } from '@tidings/testing';
import { android, CODE, IOS, MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();
const HOUR_S = 3600;
const HOUR_MS = 3_600_000;
/** All offsets in whole quarter hours (R-RES4). */
const QUARTERS = Array.from({ length: 105 }, (_, i) => (i - 48) * 900);
let tokens = 7_300_000;

const now = async (): Promise<number> =>
  Date.parse((await test.world.call('advanceClock', { advance_seconds: 0 })).now);

const zones = async (offsets: Readonly<Record<string, number | undefined>>) => {
  const application = await test.world.application();
  const tokenOf = new Map<string, string>();
  const register = (hwid: string, timezone: number | undefined) =>
    test.register(application, hwid, {
      ...android(tokenOf.get(hwid)!),
      ...(timezone === undefined ? {} : { timezone }),
    });
  for (const hwid of Object.keys(offsets)) tokenOf.set(hwid, fcmToken('accepted', ++tokens));
  await Promise.all(Object.entries(offsets).map(([hwid, offset]) => register(hwid, offset)));
  // Even at +14 h the time is to come.
  const wall = Math.ceil((await now()) / HOUR_MS) * HOUR_MS + 15 * HOUR_MS;
  const date = (hours = 0): string => new Date(wall + hours * HOUR_MS).toISOString().slice(0, 16);
  return {
    application,
    register,
    date,
    send: (more: Parameters = {}) =>
      test.sendOne(application, { content: 'x', send_date: date(), ignore_user_timezone: false, ...more }),
    async goTo(hours: number): Promise<void> {
      const target = wall + hours * HOUR_MS;
      await test.world.advance(Math.max(0, Math.ceil((target - (await now())) / 1000)));
      await test.world.settle();
    },
    pushes: (hwid: string) => test.pushesTo('fcm', tokenOf.get(hwid)!).length,
    reached: () => [...tokenOf.keys()].filter((hwid) => test.pushesTo('fcm', tokenOf.get(hwid)!).length > 0),
    listed: (code: string) => listedMessage(test.world, application, code),
    statusOf: async (code: string) => (await listedMessage(test.world, application, code))?.status,
    remove: (message: string) => test.world.reply('deleteMessage', { message }),
  };
};

describe('a message in the time zone of each recipient (R-I9)', () => {
  it('reaches every offset at the local time, once', async () => {
    const { application, send, goTo, reached, statusOf, pushes } = await zones(
      Object.fromEntries(QUARTERS.map((offset) => [`at ${offset}`, offset])),
    );
    const code = await send();
    const due = (hours: number) => QUARTERS.filter((offset) => -offset / HOUR_S <= hours).map((each) => `at ${each}`);
    const minute = 1 / 60;
    // Before and after the first one, Nepal, UTC and the last one; in between in strides of hours.
    for (const hours of [-14 - minute, -14, -11, -8, -5.75 - minute, -5.75, -3, 0 - minute, 0, 4, 8, 12 - minute]) {
      await goTo(hours);
      expect([hours, reached()]).toEqual([hours, due(hours)]);
    }
    expect(await statusOf(code)).toBe('PROCESSING');
    await goTo(12);
    expect(await statusOf(code)).toBe('DONE');
    for (const offset of QUARTERS) expect([offset, pushes(`at ${offset}`)]).toEqual([offset, 1]);
    expect(await test.brokenBy(application, code)).toEqual([]);
    expect(await test.metricsOf(application, code)).toMatchObject([{ sends: QUARTERS.length }]);
  });

  it('reaches devices whose clocks change between, once', async () => {
    const offsets = { first: 10 * HOUR_S, spring: HOUR_S, early: HOUR_S, autumn: 2 * HOUR_S, last: -HOUR_S };
    const { send, goTo, pushes, register, statusOf } = await zones(offsets);
    const code = await send();
    await goTo(-10);
    expect(pushes('first')).toBe(1);
    // Clocks go forward before the time: it comes an hour earlier.
    await register('early', 2 * HOUR_S);
    // The device moves to where the time is to come: it has the message.
    await register('first', -HOUR_S);
    await goTo(-2);
    expect([pushes('early'), pushes('autumn')]).toEqual([1, 1]);
    // Clocks go back after the time, which comes again.
    await register('autumn', HOUR_S);
    // Clocks go forward over the time: the device gets the message in the end.
    await register('spring', 2 * HOUR_S);
    await goTo(0);
    expect([pushes('spring'), await statusOf(code)]).toEqual([0, 'PROCESSING']);
    await goTo(1);
    expect(await statusOf(code)).toBe('DONE');
    await goTo(13);
    for (const hwid of Object.keys(offsets)) expect([hwid, pushes(hwid)]).toEqual([hwid, 1]);
  });

  it('can be canceled until it reaches the first recipient (R-S2, R-I29)', async () => {
    const { send, goTo, reached, statusOf, listed, remove } = await zones({ east: 9 * HOUR_S, west: -8 * HOUR_S });
    const [kept, canceled] = [await send(), await send()];
    await goTo(-10);
    expect(await remove(canceled)).toMatchObject({ body: { status_code: 200 } });
    expect(await Promise.all([kept, canceled].map(statusOf))).toEqual(['PENDING', 'CANCELED']);
    expect((await listed(kept))?.push_info?.follow_user_timezone).toBe(true);
    await goTo(-9);
    expect([reached(), await statusOf(kept)]).toEqual([['east'], 'PROCESSING']);
    expect(await remove(kept)).toMatchObject({
      body: { status_code: 210, status_message: 'Message cannot be deleted', response: null },
    });
    await goTo(8);
    expect([reached(), await statusOf(kept)]).toEqual([['east', 'west'], 'DONE']);
    expect(await statusOf(canceled)).toBe('CANCELED');
  });

  it('is sent at once if the time has passed, and in the zone of the request to devices without offset', async () => {
    const { send, goTo, reached, date, pushes } = await zones({
      passed: 14 * HOUR_S,
      nowhere: undefined,
      ahead: -8 * HOUR_S,
    });
    // The UTC time was 10 hours ago, but is ahead for the last device.
    await goTo(6);
    const code = await send({
      send_date: date(),
      timezone: 'Pacific/Honolulu',
      devices: ['passed', 'ahead', 'nowhere'],
    });
    // A date ahead somewhere makes the message one of the history (R-I6).
    expect(code).toMatch(CODE);
    await test.world.settle();
    expect(reached()).toEqual(['passed']);
    await goTo(8);
    expect(reached()).toEqual(['passed', 'ahead']);
    await goTo(10);
    expect(reached()).toEqual(['passed', 'nowhere', 'ahead']);
    expect(pushes('passed')).toBe(1);
  });
});

describe('the recipients of a message in their time zones (R-I9)', () => {
  it('are limited by conditions, platforms, users and the control group', async () => {
    const { application, send, goTo, reached, register, statusOf } = await zones({
      tagged: HOUR_S,
      other: HOUR_S,
      held: 0,
      late: -HOUR_S,
    });
    for (const hwid of ['tagged', 'late']) await test.world.call('setTags', { application, hwid, tags: { Level: 7 } });
    await register('held', 0);
    const byTag = await send({ conditions: [['Level', 'EQ', 7]] });
    const onIos = await send({ platforms: [IOS] });
    const toUsers = await send({ users: ['late', 'nobody'] });
    await goTo(-1);
    expect(reached()).toEqual(['tagged']);
    expect(await Promise.all([byTag, onIos, toUsers].map(statusOf))).toEqual(['PROCESSING', 'PENDING', 'PENDING']);
    await goTo(0);
    // No such device exists: the message ends with those that have no offset.
    expect(await statusOf(onIos)).toBe('DONE');
    await goTo(1);
    expect(reached()).toEqual(['tagged', 'late']);
    expect(await Promise.all([byTag, toUsers].map(statusOf))).toEqual(['DONE', 'DONE']);
    expect(await test.brokenBy(application, byTag)).toEqual([]);
    expect(await test.brokenBy(application, toUsers)).toEqual([]);
  });

  it('wait a day if the time has passed, or are excluded (R-O1)', async () => {
    const { application, goTo, pushes, date, statusOf } = await zones({ passed: 14 * HOUR_S, ahead: -8 * HOUR_S });
    await goTo(6);
    const notify = (past_timezones_behaviour: string) => {
      const schedule = { at: `${date()}:00Z`, follow_user_timezone: true, past_timezones_behaviour };
      const payload = { content: { localized_content: { default: { default: { body: 'x' } } } } };
      return test.world.call('notify', { segment: { application, schedule, payload } });
    };
    await notify('NEXT_DAY');
    await notify('SKIP');
    await test.world.settle();
    expect([pushes('passed'), pushes('ahead')]).toEqual([0, 0]);
    await goTo(8);
    expect([pushes('passed'), pushes('ahead')]).toEqual([0, 2]);
    await goTo(10);
    expect([pushes('passed'), pushes('ahead')]).toEqual([1, 2]);
    // The time has passed everywhere.
    await goTo(13);
    const { result } = await notify('SKIP');
    await test.world.settle();
    expect([pushes('passed'), pushes('ahead')]).toEqual([1, 2]);
    expect(await statusOf(result.message_code)).toBe('DONE');
  });

  it('are devices whose siblings another application selects (R-O5)', async () => {
    const { application, goTo, reached, date } = await zones({ east: HOUR_S, west: -HOUR_S, alone: HOUR_S });
    await test.world.call('addTag', { tag: { name: 'Branch', type: 2, application_specific: true } });
    const other = await test.world.application();
    for (const hwid of ['east', 'west']) {
      await test.register(other, hwid, { device_type: IOS, tags: { Branch: 'north' } });
    }
    const payload = { content: { localized_content: { default: { default: { body: 'x' } } } } };
    const schedule = { at: `${date()}:00Z`, follow_user_timezone: true };
    const expression = `Tag("${other}", "Branch", EQ, "north")`;
    const { result } = await test.world.call('notify', { segment: { application, schedule, payload, expression } });
    await goTo(-1);
    expect(reached()).toEqual(['east']);
    await goTo(1);
    expect(reached()).toEqual(['east', 'west']);
    expect(await test.brokenBy(application, result.message_code)).toEqual([]);
  });

  it('do not include the control group in any step', async () => {
    const { application, send, goTo, reached, statusOf } = await zones({ east: HOUR_S, west: -HOUR_S });
    await test.world.call('setControlGroup', { code: application, percentage: 100 });
    const code = await send();
    await goTo(1);
    expect([reached(), await statusOf(code)]).toEqual([[], 'DONE']);
    expect(await test.brokenBy(application, code)).toEqual([]);
  });
});
