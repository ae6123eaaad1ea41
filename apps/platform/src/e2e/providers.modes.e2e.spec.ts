import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { fcmToken, generateServiceAccount, publicKeyOf } from '@tidings/simulators';
import { funnelFigures, listedMessage, type PlatformWorld, until, untilDone } from '@tidings/testing';
import { partFeatures } from './providers/parts.features.ts';
import { slowAnswerFeatures } from './providers/slow-answers.features.ts';
import { ProvidersUnderTest } from './providers/testing/providers.ts';

const test = new ProvidersUnderTest();
const { audience, broadcast, funnelOf, ledger, both } = test;
let world: PlatformWorld;
beforeAll(() => {
  ({ world } = test);
});

const providers = async () => (await world.call('listProviders')).providers;

async function silentAddress() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    connections: () => sockets.length,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function setUpAndroid(application: string, tokenUrl: string): Promise<void> {
  const account = generateServiceAccount(tokenUrl);
  world.simulators.keys.register({ google: [publicKeyOf(account)] });
  await world.call('configureApplication', {
    application,
    device_type: 3,
    android_framework: 'native',
    android_fcm_service_account: account,
  });
}

const isDone = (application: string, code: string) => async (): Promise<boolean> =>
  (await listedMessage(world, application, code))?.status === 'DONE';

describe('a token endpoint that accepts connections and does not answer', () => {
  it('delays no other application, and loses no message: they wait for a working service account', async () => {
    const silent = await silentAddress();
    try {
      const application = await world.application({ ios: false });
      await setUpAndroid(application, silent.url);
      const other = await audience(1);
      await world.registerDevices(application, 600, (i) => ({
        hwid: `device-${i}`,
        device_type: 3,
        push_token: fcmToken('accepted', 1_000_000 + i),
      }));
      const waiting = await broadcast(application);
      const direct = { content: 'x', devices: ['device-1'] };
      const notifications = Array.from({ length: 40 }, () => direct);
      await world.call('createMessage', { application, notifications });
      await until(async () => silent.connections() > 0);
      await world.call('createMessage', { application: other, notifications: [direct] });
      await untilDone(world, other, await broadcast(other));
      expect(ledger().fcm).toMatchObject({ accepted: 2, tokens: 1 });
      expect((await listedMessage(world, application, waiting))?.status).toBe('PROCESSING');
      await setUpAndroid(application, world.simulators.tokenUrl);
      await until(isDone(application, waiting));
      await until(async () => ledger().fcm.accepted >= 2 + 600 + 40);
      await world.settle();
      expect(funnelFigures(await funnelOf(waiting))).toMatchObject({ eligible: 600, sent: 600 });
      expect(ledger().fcm).toMatchObject({ accepted: 2 + 600 + 40, duplicates: 0 });
    } finally {
      silent.close();
    }
  });
});

describe('the default link', () => slowAnswerFeatures(test));

partFeatures(test);

describe('a provider in trouble', () => {
  it('loses no message while it asks to wait for hours, and the operator may lift the throttle', async () => {
    const application = await audience(20);
    await both({ answer: null, retryAfterSeconds: 7200 });
    await world.simulators.faults.set('apns', { answer: 'ServiceUnavailable' });
    const refused = await broadcast(application);
    await until(async () =>
      (await providers()).some(
        ({ applications, state }) => applications.includes(application) && state === 'throttled',
      ),
    );
    await world.simulators.faults.set('apns', { answer: null });
    const waits = await broadcast(application);
    await world.settle();
    const held = (await providers()).filter(({ applications }) => applications.includes(application));
    expect(held).toMatchObject([
      { channel: 'apns', state: 'throttled', throttled_because: '503 ServiceUnavailable' },
      { channel: 'fcm', state: 'open', throttled_until: null },
    ]);
    const [throttled] = held;
    expect(Date.parse(throttled!.throttled_until!) - world.simulators.clock.now()).toBeLessThanOrEqual(15 * 60_000);
    expect(funnelFigures(await funnelOf(waits))).toMatchObject({ eligible: 40, sent: 20, failed: 0 });
    expect(await world.reply('liftThrottle', { credential: throttled!.credential })).toMatchObject({ status: 204 });
    await untilDone(world, application, waits);
    expect(funnelFigures(await funnelOf(waits))).toMatchObject({ eligible: 40, sent: 40, failed: 0 });
    expect(await world.reply('liftThrottle', { credential: throttled!.credential })).toMatchObject({ status: 404 });
    // Refused pushes are retried at the time that the provider asked for.
    await world.advance(1000);
    await untilDone(world, application, refused);
    expect(funnelFigures(await funnelOf(refused))).toMatchObject({ eligible: 40, sent: 40, failed: 0 });
  });

  it('is sent to again after a throttle as soon as the credential is configured anew', async () => {
    const application = await audience(3);
    await world.simulators.faults.set('fcm', { answer: 'UNAVAILABLE', retryAfterSeconds: 7200 });
    await broadcast(application);
    const isThrottled = ({ applications, state }: { applications: readonly string[]; state: string }) =>
      applications.includes(application) && state === 'throttled';
    await until(async () => (await providers()).some(isThrottled));
    await world.simulators.faults.clear();
    const waits = await broadcast(application);
    await world.settle();
    expect(funnelFigures(await funnelOf(waits))).toMatchObject({ eligible: 6, sent: 3 });
    await setUpAndroid(application, world.simulators.tokenUrl);
    await until(isDone(application, waits));
    await world.settle();
    expect(funnelFigures(await funnelOf(waits))).toMatchObject({ eligible: 6, sent: 6 });
    expect((await providers()).some(isThrottled)).toBe(false);
  });

  it('is listed with the cause of refused connections, with which devices end an hour later', async () => {
    const application = await audience(5);
    await world.simulators.faults.set('apns', { down: true });
    const code = await broadcast(application);
    const cause = { name: 'connection_refused' };
    await until(async () =>
      (await providers()).some(
        ({ applications, state, last_error }) =>
          applications.includes(application) && state === 'unreachable' && last_error?.name === cause.name,
      ),
    );
    await world.advance(3700);
    await untilDone(world, application, code);
    const funnel = await funnelOf(code);
    expect(funnelFigures(funnel)).toMatchObject({ eligible: 10, sent: 5, errors: { PROVIDER_ERROR: 5 } });
    expect(JSON.stringify(funnel)).toContain('"connection_refused"');
  });
});
