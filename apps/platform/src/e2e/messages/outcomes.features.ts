import { beforeAll, describe, expect, it } from '@jest/globals';
import { apnsReasonToken, apnsToken, fcmReasonToken, fcmToken, type Kind } from '@tidings/simulators';
import { funnelFigures, type PlatformWorld, untilDone } from '@tidings/testing';
import { IOS, ANDROID, CHROME, MAC, providers, ios, type MessagesUnderTest } from './testing/messages.ts';

export function outcomeFeatures(test: MessagesUnderTest): void {
  const { sendOne, register, tagsOf, funnelOf, brokenBy, applicationInDebug } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  describe('every outcome of a push', () => {
    const common: Readonly<Partial<Record<Kind, string>>> = {
      accepted: '',
      dead: 'INVALID_TOKEN',
      badToken: 'INVALID_TOKEN',
      wrongTopic: 'INVALID_TOKEN',
      payloadRefused: 'INVALID_CONTENT',
      throttled: '',
      unavailable: '',
      serverError: 'PROVIDER_ERROR',
      expiredAuth: '',
      silent: '',
      reset: '',
      refusedStream: '',
      disconnect: '',
      goaway: '',
      goawayBefore: '',
      lostReply: '',
      slow: '',
    };

    interface Ending {
      readonly hwid: string;
      readonly platform: number;
      readonly token: string;
      readonly category: string;
      readonly forgotten: boolean;
    }

    const endings: readonly Ending[] = [
      ...Object.entries(common).flatMap(([name, category], n): Ending[] => {
        const kind = name as Exclude<Kind, 'reason'>;
        const forgotten = kind === 'dead' || kind === 'badToken';
        return [
          { hwid: `ios ${kind}`, platform: IOS, token: apnsToken(kind, n), category, forgotten },
          { hwid: `android ${kind}`, platform: ANDROID, token: fcmToken(kind, n), category, forgotten },
        ];
      }),
      {
        hwid: 'ios malformed',
        platform: IOS,
        token: apnsToken('malformed', 1),
        category: 'UNCLASSIFIED_ERROR',
        forgotten: false,
      },
      {
        hwid: 'ios throttled for ever',
        platform: IOS,
        token: apnsToken('throttled', 99, 0),
        category: 'QUOTA_EXCEEDED',
        forgotten: false,
      },
      {
        hwid: 'android throttled for ever',
        platform: ANDROID,
        token: fcmToken('throttled', 99, 0),
        category: 'QUOTA_EXCEEDED',
        forgotten: false,
      },
      {
        hwid: 'ios credential',
        platform: IOS,
        token: apnsReasonToken('InvalidProviderToken', 1),
        category: 'INVALID_CONFIGURATION',
        forgotten: false,
      },
      {
        hwid: 'ios credential for ever',
        platform: IOS,
        token: apnsToken('expiredAuth', 99, 1),
        category: 'INVALID_CONFIGURATION',
        forgotten: false,
      },
      {
        hwid: 'android credential',
        platform: ANDROID,
        token: fcmReasonToken('THIRD_PARTY_AUTH_ERROR', 1),
        category: 'INVALID_CONFIGURATION',
        forgotten: false,
      },
      {
        hwid: 'ios path',
        platform: IOS,
        token: apnsReasonToken('BadPath', 1),
        category: 'INTERNAL_ERROR',
        forgotten: false,
      },
      {
        hwid: 'android unspecified',
        platform: ANDROID,
        token: fcmReasonToken('UNSPECIFIED_ERROR', 1),
        category: 'UNCLASSIFIED_ERROR',
        forgotten: false,
      },
      {
        hwid: 'chrome',
        platform: CHROME,
        token: 'https://push.example.com/1',
        category: 'PLATFORM_DISABLED',
        forgotten: false,
      },
      { hwid: 'mac', platform: MAC, token: 'mac-token', category: 'PLATFORM_DISABLED', forgotten: false },
    ];

    let application: string;
    let code: string;
    beforeAll(async () => {
      application = await world.application();
      await world.registerDevices(application, endings.length, (i) => {
        const { hwid, platform: device_type, token } = endings[i]!;
        return { hwid, device_type, push_token: token };
      });
      code = await sendOne(application, { content: 'x' });
      // Retries last an hour: long steps would use it up in a few tries.
      await untilDone(world, application, code, { stepSeconds: 130, timeoutSeconds: 10_000 });
    });

    it('is counted once, under its category and its platform', async () => {
      const funnel = await funnelOf(code);
      const counted = (platform: number, name: string) => {
        const { sent, errors } = funnelFigures(funnel, platform, name);
        return { ...errors, ...(sent > 0 ? { '': sent } : {}) };
      };
      const expected = (platform: number) => {
        const own = endings.filter((ending) => ending.platform === platform);
        return Object.fromEntries(
          [...Map.groupBy(own, ({ category }) => category)].map(([name, of]) => [name, of.length]),
        );
      };
      expect(counted(IOS, 'MOBILE_PUSH')).toEqual(expected(IOS));
      expect(counted(ANDROID, 'MOBILE_PUSH')).toEqual(expected(ANDROID));
      expect(counted(CHROME, 'WEB_PUSH')).toEqual(expected(CHROME));
      expect(counted(MAC, 'OTHER')).toEqual(expected(MAC));
    });

    it('keeps every invariant, in each channel', async () => {
      const { channels } = await funnelOf(code);
      expect(channels.map(({ channel }) => channel)).toEqual([
        'CHANNEL_MOBILE_PUSH',
        'CHANNEL_WEB_PUSH',
        'CHANNEL_OTHER',
      ]);
      expect(channels.map(({ deliveries_form, basic_form_reason }) => [deliveries_form, basic_form_reason])).toEqual([
        ['DELIVERIES_FORM_PER_DEVICE', 'BASIC_FORM_REASON_UNSPECIFIED'],
        ['DELIVERIES_FORM_BASIC', 'BASIC_FORM_REASON_NO_DELIVERIES'],
        ['DELIVERIES_FORM_BASIC', 'BASIC_FORM_REASON_NOT_APPLICABLE'],
      ]);
      expect(await brokenBy(application, code)).toEqual([]);
    });

    it('is named by the code and reason of the provider, or of the platform', async () => {
      const { channels } = await funnelOf(code);
      const codes = channels.flatMap(({ funnel }) =>
        funnel.flatMap(({ errors }) =>
          errors.flatMap(({ category, codes: of }) =>
            of.map(({ platform: on, code: number, name }) => `${category} ${on} ${number} ${name}`),
          ),
        ),
      );
      expect(codes).toEqual(
        expect.arrayContaining([
          'INVALID_TOKEN 1 410 Unregistered',
          'INVALID_TOKEN 1 400 BadDeviceToken',
          'INVALID_TOKEN 3 404 UNREGISTERED',
          'INVALID_CONFIGURATION 1 403 InvalidProviderToken',
          'PROVIDER_ERROR 1 500 InternalServerError',
          'QUOTA_EXCEEDED 1 429 TooManyRequests',
          'PLATFORM_DISABLED 11 0 platform_disabled',
        ]),
      );
    });

    it('is not retried beyond the lifetime of the message', async () => {
      const mortal = await applicationInDebug();
      await register(mortal, 'never', ios(apnsToken('unavailable', 500, 0)));
      await register(mortal, 'late', ios(apnsToken('unavailable', 501, 2)));
      const devices = ['never', 'late'];
      const short = await sendOne(mortal, { content: 'x', devices, ios_ttl: 60 });
      const passed = await untilDone(world, mortal, short, { stepSeconds: 10 });
      expect(passed).toBeLessThanOrEqual(60);
      expect(funnelFigures(await funnelOf(short))).toMatchObject({ sent: 1, errors: { PROVIDER_ERROR: 1 } });
    });

    it('removes the token of a device only if its code requires it', async () => {
      for (const { hwid, forgotten } of endings) {
        expect([hwid, (await tagsOf(application, hwid))['Push Alerts Enabled']]).toEqual([hwid, !forgotten]);
      }
    });

    it('includes no repeat that a device would show twice', () => {
      for (const [, provider] of providers) {
        const { duplicates, masked } = world.simulators.ledger.of(provider).summary();
        expect(duplicates).toBe(masked);
        expect(duplicates).toBeGreaterThanOrEqual(1);
      }
    });
  });
}
