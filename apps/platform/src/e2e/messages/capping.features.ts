import { beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken, fcmToken } from '@tidings/simulators';
import { funnelFigures, type Parameters, type PlatformWorld } from '@tidings/testing';
import { ANDROID, android, ios, type MessagesUnderTest } from './testing/messages.ts';

const DAY = 86_400;
const HERE = { lat: 48.2, lng: 16.37 };

export function cappingFeatures(test: MessagesUnderTest): void {
  const { send, register, funnelOf, brokenBy, pushesTo, applicationInDebug } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });
  let last = Math.floor(Math.random() * 1e8);

  const devices = async (count = 2) => {
    const application = await applicationInDebug();
    const tokens = Array.from({ length: count }, () => fcmToken('accepted', ++last));
    await Promise.all(tokens.map((token, i) => register(application, `d-${i}`, android(token))));
    return {
      application,
      sends: async (...notifications: readonly Parameters[]): Promise<number[]> => {
        const { Messages } = await send(application, ...notifications.map((each) => ({ content: 'x', ...each })));
        await world.settle();
        const funnels = await Promise.all(Messages.map((code) => funnelOf(code)));
        return funnels.map((funnel) => funnelFigures(funnel, ANDROID).sent);
      },
      pushes: () => tokens.map((token) => pushesTo('fcm', token).length),
    };
  };

  describe('frequency capping', () => {
    it('limits simultaneous messages to each device to exactly the cap (R-I12)', async () => {
      const { application, pushes } = await devices(30);
      await register(application, 'iphone', ios(apnsToken('accepted', ++last)));
      const { Messages: codes } = await send(
        application,
        ...Array.from({ length: 8 }, () => ({ content: 'x', capping_days: 7, capping_count: '3' })),
      );
      await world.settle();
      expect(pushes()).toEqual(Array(30).fill(3));
      const funnels = await Promise.all(codes.map((code) => funnelOf(code)));
      const figures = funnels.map((funnel) => funnelFigures(funnel, ANDROID));
      expect(figures.reduce((sum, { sent }) => sum + sent, 0)).toBe(90);
      expect(figures.every(({ audience, eligible }) => audience === 30 && (eligible === 0 || eligible === 30))).toBe(
        true,
      );
      const capped = codes[figures.findIndex(({ eligible }) => eligible === 0)]!;
      const audience = (await funnelOf(capped)).channels[0]!.funnel.find(({ stage }) => stage === 'STAGE_AUDIENCE')!;
      expect(audience.pieces.find(({ category }) => category === 'FREQUENCY_CAPPING')).toMatchObject({
        count: '31',
      });
      for (const code of codes) expect(await brokenBy(application, code)).toEqual([]);
    });

    it('counts marketing messages, also those that ignore the cap, and forgets them after their days', async () => {
      const { sends } = await devices();
      const cap = { capping_days: 1, capping_count: 2 };
      expect(await sends({ message_type: 'transactional' })).toEqual([2]);
      expect(await sends({ capping_exclude: true })).toEqual([2]);
      expect(await sends({ ...cap, capping_avoid: 'true' })).toEqual([2]);
      expect(await sends({ devices: ['d-0'], ...cap })).toEqual([1]);
      expect(await sends(cap)).toEqual([1]);
      expect(await sends(cap)).toEqual([0]);
      expect(await sends({ ...cap, capping_exclude: 1 }, { ...cap, capping_avoid: 1 })).toEqual([0, 2]);
      expect(await sends({ ...cap, message_type: 'transactional' })).toEqual([2]);
      await world.advance(DAY + 1);
      expect(await sends(cap)).toEqual([2]);
    });

    it('applies the cap of an application to all its messages without one, also of a geozone', async () => {
      const { application, sends, pushes } = await devices();
      const { sends: sendsElsewhere } = await devices();
      expect(await world.call('setCapping', { code: application, days: 2, count: 2 })).toEqual({ days: 2, count: 2 });
      expect(await sends({})).toEqual([2]);
      await world.call('addGeoZone', {
        application,
        geozones: [{ name: 'Zone', ...HERE, range: 100, cooldown: 0, content: 'here' }],
      });
      const enter = () => world.call('getNearestZone', { application, hwid: 'd-0', ...HERE });
      await enter();
      await world.settle();
      expect(pushes()).toEqual([2, 1]);
      await enter();
      expect(await sends({})).toEqual([1]);
      expect(pushes()).toEqual([2, 2]);
      expect(await sends({})).toEqual([0]);
      expect(await sends({ capping_days: 2, capping_count: 3 })).toEqual([2]);
      expect(await sends({ capping_avoid: true })).toEqual([2]);
      expect(await sendsElsewhere({})).toEqual([2]);
      await world.call('setCapping', { code: application, days: 2, count: 0 });
      expect(await sends({})).toEqual([2]);
    });

    it('does not count a push that failed finally', async () => {
      const { application, sends } = await devices(1);
      await register(application, 'refused', android(fcmToken('payloadRefused', ++last)));
      const cap = { capping_days: 1, capping_count: 1 };
      const [first] = (await send(application, { content: 'x', ...cap })).Messages;
      await world.settle();
      expect(funnelFigures(await funnelOf(first!), ANDROID)).toMatchObject({ sent: 1, failed: 1 });
      const [code] = (await send(application, { content: 'x', ...cap })).Messages;
      await world.settle();
      expect(funnelFigures(await funnelOf(code!), ANDROID)).toMatchObject({
        audience: 2,
        eligible: 1,
        sent: 0,
        failed: 1,
      });
      expect(await sends({ capping_days: 1, capping_count: 3 })).toEqual([1]);
    });

    it.each([
      [{ capping_days: 0, capping_count: 1 }, 'capping_days: must be 1 to 30'],
      [{ capping_days: 31, capping_count: 1 }, 'capping_days: must be 1 to 30'],
      [{ capping_days: '1.5', capping_count: 1 }, 'capping_days: must be an integer'],
      [{ capping_days: 1, capping_count: 0 }, 'capping_count: must be at least 1'],
      [{ capping_days: 1, capping_count: [] }, 'capping_count: must be an integer'],
      [{ capping_days: 1 }, 'capping_count: must be set'],
      [{ capping_count: 1, capping_days: null }, 'capping_days: must be set'],
      [{ capping_avoid: 'perhaps' }, 'capping_avoid: must be a boolean'],
      [{ capping_exclude: 2 }, 'capping_exclude: must be a boolean'],
    ])('refuses %j, and sends nothing', async (given, text) => {
      const { application, pushes } = await devices(1);
      const notifications = [{ content: 'good' }, { content: 'x', ...given }];
      expect(await world.reply('createMessage', { application, notifications })).toMatchObject({
        body: { status_code: 210, status_message: `notifications[1].${text}` },
      });
      await world.settle();
      expect(pushes()).toEqual([0]);
    });
  });
}
