import { beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken, fcmToken, mailAddress } from '@tidings/simulators';
import { brokenInvariants, funnelFigures, listedMessage, type PlatformWorld, until, untilDone } from '@tidings/testing';
import type { ProvidersUnderTest } from './testing/providers.ts';

const [IOS, ANDROID, EMAIL] = [1, 3, 14];

export function partFeatures(test: ProvidersUnderTest): void {
  const { broadcast, funnelOf } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  const applicationWith = async (platform: number, tokens: readonly string[]): Promise<string> => {
    const application = await world.application();
    await world.registerDevices(application, tokens.length, (i) => ({
      hwid: `device-${i}`,
      device_type: platform,
      push_token: tokens[i]!,
    }));
    world.simulators.reset();
    return application;
  };
  const tokens = (count: number, tokenOf: (kind: 'accepted', n: number) => string): string[] =>
    Array.from({ length: count }, (_, n) => tokenOf('accepted', n));

  describe('a message with one waiting device', () => {
    it.each([
      ['600 iPhones', IOS, [...tokens(600, apnsToken), apnsToken('unavailable', 1, 0)], 600],
      ['100 Android phones', ANDROID, [...tokens(100, fcmToken), fcmToken('unavailable', 1, 0)], 100],
    ] as const)('has the results of %s in its figures', async (_, platform, all, good) => {
      const application = await applicationWith(platform, all);
      const code = await broadcast(application);
      await until(async () => funnelFigures(await funnelOf(code)).sent === good);
      const funnel = await funnelOf(code);
      expect(funnelFigures(funnel)).toMatchObject({ audience: good + 1, failed: 0 });
      const listed = await listedMessage(world, application, code);
      expect(listed).toMatchObject({ status: 'PROCESSING' });
      expect(brokenInvariants(funnel, listed?.push_info?.metrics ?? [], { inFlight: true })).toEqual([]);
      await untilDone(world, application, code, { stepSeconds: 900, timeoutSeconds: 10_000 });
      expect(funnelFigures(await funnelOf(code))).toMatchObject({ sent: good, errors: { PROVIDER_ERROR: 1 } });
    });

    it('has dead tokens that are not called again', async () => {
      const application = await applicationWith(IOS, [apnsToken('dead', 1), apnsToken('unavailable', 2, 0)]);
      const isForgotten = async (): Promise<boolean> =>
        !(await world.call('checkDevice', { application, hwid: 'device-0' })).push_token_exist;
      await broadcast(application);
      await until(isForgotten);
      const second = await broadcast(application);
      await world.settle();
      expect(funnelFigures(await funnelOf(second))).toMatchObject({ audience: 1 });
      expect(world.simulators.ledger.of('apns').entries({ token: apnsToken('dead', 1) })).toHaveLength(1);
    });

    it('has badges of other devices that continue to count', async () => {
      const [good, waiting] = [apnsToken('accepted', 1), apnsToken('unavailable', 2, 0)];
      const application = await applicationWith(IOS, [good, waiting]);
      world.simulators.reset({ keepPayloads: true });
      const entries = () => world.simulators.ledger.of('apns').entries({ token: good });
      for (const sent of [1, 2]) {
        const notifications = [{ content: 'Hi', ios_badges: '+1' }];
        await world.call('createMessage', { application, notifications });
        await until(() => entries().length === sent);
      }
      const badges = entries().map(({ payload }) => (JSON.parse(payload!) as { aps: { badge: number } }).aps.badge);
      expect(badges).toEqual([1, 2]);
    });
  });

  it('accepted and bounced mails are counted while one address is greylisted for a day', async () => {
    const application = await world.application({ ios: false, android: false });
    await world.call('configureApplication', {
      application,
      device_type: EMAIL,
      email_from_email: 'shop@parts.example',
      email_from_name: 'Shop',
      email_reply: 'help@parts.example',
    });
    const [dead, greylisted] = [
      mailAddress('dead', 1, 0, 'parts.example'),
      mailAddress('throttled', 2, 0, 'parts.example'),
    ];
    const good = Array.from({ length: 19 }, (_, i) => `person-${i}@parts.example`);
    for (const email of [...good, dead, greylisted]) await world.call('registerEmail', { application, email });
    await world.settle();
    world.simulators.reset();
    const notifications = [{ content: '<p>Hello</p>', title: 'News', platforms: [EMAIL] }];
    const mail = async (): Promise<string> =>
      (await world.call('createMessage', { application, notifications })).Messages[0]!;
    const first = await mail();
    await world.settle();
    const { items } = await world.call('messagesList', {
      filters: { application, messages_codes: [first] },
      params: { with_metrics: true },
    });
    expect(items[0]!.email_info!.metrics![0]).toMatchObject({ sends: 20, hard_bounces: 1 });
    const second = await mail();
    await world.settle();
    expect(world.simulators.ledger.of('email').entries({ token: dead })).toHaveLength(1);
    expect(funnelFigures(await funnelOf(second), EMAIL, 'EMAIL')).toMatchObject({ audience: 21, eligible: 20 });
  });
}
