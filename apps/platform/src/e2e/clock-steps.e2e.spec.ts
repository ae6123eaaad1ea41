import { afterAll, afterEach, beforeAll, it } from '@jest/globals';
import {
  platformProcess,
  type ProcessWorld,
  steppedClock,
  type SteppedClock,
  until,
  untilDone,
} from '@tidings/testing';

const DEVICES = 300;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const RECOVERED_MS = MINUTE_MS;

let clock: SteppedClock;
let world: ProcessWorld;
let application: string;
/** Each case sets the clock once: two steps within a second may look like one. */
let aheadMs = 0;

beforeAll(async () => {
  clock = await steppedClock();
  world = await platformProcess({ env: clock.env });
  application = await world.application({ ios: false });
  await world.registerDevices(application, DEVICES, (i) => ({
    hwid: `device-${i}`,
    device_type: 3,
    push_token: `token-${i}`,
  }));
  await untilDone(world, application, await send());
});
afterEach(() => world.simulators.faults.clear());
afterAll(async () => {
  await world?.stop();
  await clock?.close();
});

async function send(): Promise<string> {
  const { Messages: messages } = await world.call('createMessage', {
    application,
    notifications: [{ content: 'Hello' }],
  });
  return messages[0]!;
}

async function sent(message: string): Promise<number> {
  const { channels } = await world.call('getDeliveryFunnel', { message_code: message });
  return Number(channels[0]?.funnel.find(({ stage }) => stage === 'STAGE_SENT')?.count ?? 0);
}

const outages = {
  'is down': { down: true },
  'asks to wait': { answer: 'UNAVAILABLE', retryAfterSeconds: 5 },
} as const;

it.each(
  Object.keys(outages).flatMap((outage) =>
    [-2 * HOUR_MS, -5 * MINUTE_MS, 2 * HOUR_MS].map((ms) => [outage, ms] as const),
  ),
)(
  'a provider that %s costs no push its outcome when the clock is set by %d ms, and no call fails',
  async (outage, ms) => {
    await world.simulators.faults.set('fcm', outages[outage as keyof typeof outages]);
    const during = await send();
    await until(async () => {
      const { providers } = await world.call('listProviders', {});
      return providers.some(({ state }) => state !== 'open');
    });
    aheadMs += ms;
    await clock.set(aheadMs);
    await world.call('setTags', { application, hwid: 'device-1', tags: { Name: 'x' } });
    const after = await send();
    await world.simulators.faults.clear();
    for (const message of [during, after]) {
      await until(async () => (await sent(message)) === DEVICES, { timeoutMs: RECOVERED_MS });
      await untilDone(world, application, message);
    }
  },
);
