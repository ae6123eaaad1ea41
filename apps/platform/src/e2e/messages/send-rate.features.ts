import { beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken, fcmToken } from '@tidings/simulators';
import { funnelFigures, listedMessage, type PlatformWorld } from '@tidings/testing';
import { ANDROID, android, IOS, ios, type MessagesUnderTest } from './testing/messages.ts';

const SECOND = 1_000;
/** A machine with other work records pushes late; this variable sets strict bounds. */
const isStrict = process.env['TIDINGS_STRICT_RATES'] === '1';

function mostInASecond(times: readonly number[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while (times[last]! - times[first]! >= SECOND) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

export function sendRateFeatures(test: MessagesUnderTest): void {
  const { sendOne, register, funnelOf, brokenBy, pushesTo } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  describe('a send rate', () => {
    it('holds for the whole message over all platforms in any second, and the message completes (R-I11)', async () => {
      const application = await world.application();
      const from = Math.floor(Math.random() * 1e8);
      const pushes = isStrict ? 1_500 : 350;
      await world.registerDevices(application, pushes, (i) => ({
        hwid: `r-${i}`,
        ...(i % 2 === 0 ? ios(apnsToken('accepted', from + i)) : android(fcmToken('accepted', from + i))),
      }));
      const since = { apns: sentBy('apns').length, fcm: sentBy('fcm').length };
      const code = await sendOne(application, { content: 'x', send_rate: '100' });
      await world.settle(120_000);
      const times = [...sentBy('apns').slice(since.apns), ...sentBy('fcm').slice(since.fcm)].sort((a, b) => a - b);
      expect(times).toHaveLength(pushes);
      const seconds = (times.at(-1)! - times[0]!) / SECOND;
      expect(seconds).toBeGreaterThanOrEqual((pushes / 100) * 0.93);
      const [mean, most] = [(pushes - 1) / seconds, mostInASecond(times)];
      if (isStrict) {
        const figures = `${mean.toFixed(1)} a second on average, ${most} in the fullest second`;
        process.stderr.write(`a send rate of 100: ${figures}\n`);
        expect(mean).toBeGreaterThanOrEqual(95);
      }
      expect(most).toBeLessThanOrEqual(isStrict ? 105 : 200);
      const funnel = await funnelOf(code);
      const sent = [IOS, ANDROID].map((platform) => funnelFigures(funnel, platform).sent);
      expect(sent).toEqual([pushes / 2, pushes / 2]);
      expect(await brokenBy(application, code)).toEqual([]);
      expect((await listedMessage(world, application, code))?.status).toBe('DONE');
    });

    it('applies to users in a preset, and not to listed devices', async () => {
      const application = await world.application();
      const token = fcmToken('accepted', Math.floor(Math.random() * 1e9));
      await register(application, 'phone', { ...android(token), userId: 'rated user' });
      await world.call('createPreset', {
        applicationCode: application,
        name: 'rated',
        content: { message: 'x' },
        scheduling: { sendRate: 100 },
        segmentation: { platforms: [ANDROID] },
      });
      const [{ code: preset } = { code: '' }] = (await world.call('listPresets', { application })).presets;
      await sendOne(application, { preset, users: ['rated user'] });
      await sendOne(application, { preset, devices: ['phone'] });
      await sendOne(application, { preset, users: ['rated user'], send_rate_avoid: true });
      await sendOne(application, { preset, users: ['rated user'], send_rate: 1000 });
      await world.settle();
      expect(pushesTo('fcm', token)).toHaveLength(4);
    });

    it.each([
      [{ send_rate: 99 }, 'notifications[0].send_rate: must be 100 to 1000'],
      [{ send_rate: 1001 }, 'notifications[0].send_rate: must be 100 to 1000'],
      [{ send_rate: '1e3' }, 'notifications[0].send_rate: must be an integer'],
      [{ send_rate_avoid: 3 }, 'notifications[0].send_rate_avoid: must be a boolean'],
      [{ send_rate: 100, devices: ['phone'] }, 'send_rate must not be combined with devices'],
    ])('is refused as %j', async (given, text) => {
      const application = await world.application();
      const notifications = [{ content: 'x', ...given }];
      expect(await world.reply('createMessage', { application, notifications })).toMatchObject({
        body: { status_code: 210, status_message: text },
      });
    });
  });

  const sentBy = (provider: 'apns' | 'fcm'): number[] =>
    world.simulators.ledger
      .of(provider)
      .entries({ limit: Infinity })
      .map(({ at }) => at);
}
