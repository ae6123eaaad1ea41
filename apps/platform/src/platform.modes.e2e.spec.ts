import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { platform, type PlatformWorld } from '@tidings/testing';

const DEVICES = 60;
const android = (i: number): boolean => i % 2 === 1;

describe('the platform', () => {
  let world: PlatformWorld;
  let application: string;

  beforeAll(async () => {
    world = await platform();
    application = await world.application();
    await world.call('addTag', { tag: { name: 'Level', type: 1 } });
    await world.registerDevices(application, DEVICES, (i) => ({
      hwid: `device-${i}`,
      device_type: android(i) ? 3 : 1,
      push_token: android(i) ? `token-${i}` : i.toString(16).padStart(64, 'a'),
      language: i % 3 === 0 ? 'de' : 'en',
      tags: { Level: i },
    }));
  });
  afterAll(() => world?.stop());

  it('sends a message to a segment, and every figure agrees on its devices', async () => {
    const { Messages: messages } = await world.call('createMessage', {
      application,
      notifications: [{ content: { en: 'Hello', de: 'Hallo' }, conditions: [['Level', 'GTE', 20]] }],
    });
    await world.settle();

    const [message] = (await world.call('messagesList', { filters: { application }, params: { with_metrics: true } }))
      .items;
    expect(message).toMatchObject({ code: messages[0], status: 'DONE' });
    const sends = message!.push_info!.metrics!.map(({ platform: code, sends }) => [code, sends]);
    expect(sends).toEqual([
      [1, 20],
      [3, 20],
    ]);

    const ledger = world.simulators.ledger.summary();
    expect([ledger.apns.tokens, ledger.fcm.tokens]).toEqual([20, 20]);
    expect([ledger.apns.duplicates, ledger.fcm.duplicates]).toEqual([0, 0]);

    const funnel = await world.call('getDeliveryFunnel', { message_code: messages[0] });
    expect(funnel.funnel_state).toBe('FUNNEL_STATE_READY');
    const counts = Object.fromEntries(funnel.channels[0]!.funnel.map(({ stage, count }) => [stage, count]));
    expect(counts).toMatchObject({ STAGE_AUDIENCE: '40', STAGE_SENT: '40', STAGE_ERRORS: '0', STAGE_OPENED: '0' });
  });

  it('counts reports of devices with the hash of the payload', async () => {
    const [entry] = world.simulators.ledger.of('fcm').entries({ limit: 1 });
    const hwid = `device-${entry!.token.split('-')[1]}`;
    await world.call('messageDeliveryEvent', { application, hwid, hash: entry!.hash });
    await world.call('pushStat', { application, hwid, hash: entry!.hash });
    await world.call('pushStat', { application, hwid, hash: entry!.hash });
    await world.settle();
    const [message] = (await world.call('messagesList', { filters: { application }, params: { with_metrics: true } }))
      .items;
    expect(message!.push_info!.metrics!.find(({ platform: code }) => code === 3)).toMatchObject({
      deliveries: 1,
      opens: 1,
    });
  });

  it('advances the clocks of all processes', async () => {
    const before = await world.call('advanceClock', { advance_seconds: 0 });
    await world.advance(3600);
    const after = await world.call('advanceClock', { advance_seconds: 0 });
    const passed = new Date(after.now).getTime() - new Date(before.now).getTime();
    expect(passed).toBeGreaterThanOrEqual(3_600_000);
    expect(passed).toBeLessThan(3_660_000);
  });

  it('serves its health and its metrics', async () => {
    expect(await world.client.http.send('/livez')).toMatchObject({ status: 200 });
    expect(await world.client.http.send('/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await world.client.http.send('/startupz')).toMatchObject({ status: 200 });
    const { body } = await world.client.http.send('/metrics');
    expect(body).toContain('nodejs_eventloop_lag_p99_seconds');
  });
});

describe('a second world', () => {
  it('shows nothing of the first world', async () => {
    const before = await platform();
    let code: string;
    try {
      const application = await before.application({ ios: false });
      await before.call('registerDevice', { application, hwid: 'phone', device_type: 3, push_token: 'phone' });
      await before.simulators.faults.set('all', { down: true });
      const notifications = [{ content: 'Waits for its provider' }];
      code = (await before.call('createMessage', { application, notifications })).Messages[0]!;
      await before.settle();
    } finally {
      await before.stop();
    }
    const world = await platform();
    try {
      expect((await world.call('getApplications')).applications).toEqual({});
      expect((await world.reply('getDeliveryFunnel', { message_code: code })).status).not.toBe(200);
      await world.advance(7200);
      await world.settle();
      for (const provider of ['fcm', 'google-oauth'] as const) {
        const summary = world.simulators.ledger.of(provider).summary();
        expect({ provider, summary }).toMatchObject({ provider, summary: { accepted: 0, refused: 0 } });
      }
    } finally {
      await world.stop();
    }
  });
});
