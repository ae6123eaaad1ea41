import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fcmToken } from '@tidings/simulators';
import { listedMessage, platformProcess, type ProcessWorld, Visitors } from '@tidings/testing';

// Recipients come one after the other: nothing is sent again after a kill, and nothing is lost.
let world: ProcessWorld;
beforeAll(async () => {
  world = await platformProcess({ simulators: { keepPayloads: true } });
});
afterAll(() => world?.stop());

const ANDROID = 3;
const HOUR_MS = 3_600_000;
const SETTLE_MS = 60_000;
let tokens = 7_500_000;

const faults = ['platform', 'everything'] as const;

it.each(faults)('visits are sent once each, and cooldowns hold, after a kill of the %s during them', async (what) => {
  const visitors = await Visitors.gather(world);
  await visitors.arrive(async () => {
    await world.kill(what);
    await world.start();
  });
  expect(await visitors.broken()).toEqual([]);
});

async function goTo(instant: number): Promise<void> {
  const { now } = await world.call('advanceClock', { advance_seconds: 0 });
  await world.advance(Math.max(0, Math.ceil((instant - Date.parse(now)) / 1000)));
  await world.settle(SETTLE_MS);
}

/** The system's clock begins anew, and is advanced to the providers'. */
async function restart(what: (typeof faults)[number]): Promise<void> {
  await world.kill(what);
  await world.start();
  await world.call('advanceClock', { advance_seconds: Math.ceil(world.simulators.clock.aheadMs / 1000) });
}

it.each(faults)('a message reaches each time zone once, after a kill of the %s between two (R-I9)', async (what) => {
  const application = await world.application({ ios: false });
  const zones = [10, 0, -3, -8].map((hours) => ({ hours, token: fcmToken('accepted', ++tokens) }));
  await world.registerDevices(application, zones.length, (i) => ({
    hwid: `at ${zones[i]!.hours}`,
    device_type: ANDROID,
    push_token: zones[i]!.token,
    timezone: zones[i]!.hours * 3600,
  }));
  const { now } = await world.call('advanceClock', { advance_seconds: 0 });
  // Passed in the first zone, an hour or two ahead in the second.
  const wall = (Math.ceil(Date.parse(now) / HOUR_MS) + 1) * HOUR_MS;
  const notification = { content: 'x', ignore_user_timezone: false };
  const send_date = new Date(wall).toISOString().slice(0, 16);
  const request = { application, notifications: [{ ...notification, send_date }] };
  const { Messages: messages } = await world.call('createMessage', request);
  const pushes = (): number[] => zones.map(({ token }) => world.simulators.ledger.of('fcm').entries({ token }).length);
  await world.settle(SETTLE_MS);
  expect(pushes()).toEqual([1, 0, 0, 0]);
  await restart(what);
  await goTo(wall - HOUR_MS / 60);
  expect(pushes()).toEqual([1, 0, 0, 0]);
  await goTo(wall);
  expect(pushes()).toEqual([1, 1, 0, 0]);
  await restart(what);
  // Two zones are due when it is back.
  await goTo(wall + 8 * HOUR_MS);
  expect(pushes()).toEqual([1, 1, 1, 1]);
  const listed = await listedMessage(world, application, messages[0]!);
  expect(listed).toMatchObject({ status: 'DONE' });
  await goTo(wall + 13 * HOUR_MS);
  expect(pushes()).toEqual([1, 1, 1, 1]);
});
