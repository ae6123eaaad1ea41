import { beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken, fcmToken } from '@tidings/simulators';
import { funnelFigures, listedMessage, type PlatformWorld, pushesOf, untilDone } from '@tidings/testing';
import { IOS, ANDROID, CHROME, providers, android, type MessagesUnderTest } from './testing/messages.ts';

export function segmentFeatures(test: MessagesUnderTest): void {
  const { sendOne, register, tagsOf, funnelOf, metricsOf, brokenBy, pushesTo } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  describe('a message to a segment', () => {
    type Outcome = 'accepts' | 'dead' | 'throttled' | 'muted' | 'without token';

    interface Phone {
      readonly hwid: string;
      readonly platform: typeof IOS | typeof ANDROID;
      readonly outcome: Outcome;
      readonly token: string;
      readonly language: string;
      readonly level: number;
      readonly plan: string;
      readonly name: string | undefined;
      readonly nth: number;
    }

    const outcomes: Readonly<Record<number, Outcome>> = {
      3: 'dead',
      7: 'throttled',
      11: 'muted',
      13: 'without token',
      19: 'muted',
    };
    const buried = new Set<Phone>();
    const names = ['anna', 'zoë "z"', undefined, 'FINN\n<b>', '{{Level}}'];

    const tokenOf = (platform: Phone['platform'], outcome: Outcome, n: number): string => {
      if (outcome === 'without token') return '';
      const kind = outcome === 'dead' || outcome === 'throttled' ? outcome : 'accepted';
      return platform === IOS ? apnsToken(kind, n) : fcmToken(kind, n);
    };

    const phones = Array.from({ length: 400 }, (_, i): Phone => {
      const nth = i >> 1;
      const platform = i % 2 === 0 ? IOS : ANDROID;
      const outcome = outcomes[nth % 20] ?? 'accepts';
      return {
        hwid: `phone-${i}`,
        platform,
        outcome,
        token: tokenOf(platform, outcome, i),
        language: ['en', 'de', 'fr'][nth % 3]!,
        level: (nth * 37) % 100,
        plan: ['gold', 'silver', 'free'][(nth >> 2) % 3]!,
        name: names[nth % names.length],
        nth,
      };
    });

    const notification = {
      content: {
        en: 'Hello {{Name|CapitalizeFirst|friend}}, level {{Level}}',
        DE: 'Hallo {{Name|CapitalizeFirst|Freund}}, Stufe {{Level}}',
        default: '{{Name|Uppercase|}} {{Level}}',
      },
      title: { en: 'News', de: 'Neues' },
      conditions: [
        ['Level', 'BETWEEN', [20, 79]],
        ['Plan', 'in', ['gold', 'silver']],
      ],
      conditions_operator: 'and',
    };

    const isAddressed = ({ level, plan, outcome }: Phone): boolean =>
      level >= 20 && level <= 79 && plan !== 'free' && outcome !== 'without token';

    const textFor = ({ language, name, level }: Phone): string => {
      const capitalized = name && name[0]!.toUpperCase() + name.slice(1);
      if (language === 'en') return `Hello ${capitalized ?? 'friend'}, level ${level}`;
      if (language === 'de') return `Hallo ${capitalized ?? 'Freund'}, Stufe ${level}`;
      return `${name?.toUpperCase() ?? ''} ${level}`;
    };
    const titleFor = ({ language }: Phone): string => (language === 'de' ? 'Neues' : 'News');

    const shown = (provider: 'apns' | 'fcm', payload: string): { text: string; title: string } => {
      if (provider === 'apns') {
        const { aps } = JSON.parse(payload) as { aps: { alert: { title: string; body: string } } };
        return { text: aps.alert.body, title: aps.alert.title };
      }
      const { message } = JSON.parse(payload) as { message: { data: { title: string; header: string } } };
      return { text: message.data.title, title: message.data.header };
    };

    const addressed = phones.filter(isAddressed);
    const of = (platform: number, ...outcomes: Outcome[]): Phone[] =>
      addressed.filter((phone) => phone.platform === platform && outcomes.includes(phone.outcome));
    const reached = (platform: number): Phone[] => of(platform, 'accepts', 'throttled', 'muted');

    let application: string;
    let code: string;

    beforeAll(async () => {
      application = await world.application();
      await world.registerDevices(application, phones.length, (i) => {
        const { hwid, platform: device_type, token, language, level, plan, name } = phones[i]!;
        const tags = { Level: level, Plan: plan, ...(name === undefined ? {} : { Name: name }) };
        return { hwid, device_type, push_token: token, language, tags };
      });
      const muted = phones.filter(({ outcome }) => outcome === 'muted');
      await Promise.all(
        muted.map(({ hwid }) => world.call('setTags', { application, hwid, tags: { 'Push Alerts Enabled': false } })),
      );
      code = await sendOne(application, notification);
      await untilDone(world, application, code);
    });

    it('begins with devices of every outcome', () => {
      for (const [code] of providers) {
        for (const outcome of ['accepts', 'dead', 'throttled', 'muted'] as const)
          expect(of(code, outcome)).not.toEqual([]);
      }
      expect(addressed.length).toBeLessThan(phones.length / 2);
    });

    it.each(providers)(
      'ends at every device of platform %d with the reply of its provider',
      async (code_, provider) => {
        const sent = reached(code_).length;
        const dead = of(code_, 'dead').length;
        const metrics = (await metricsOf(application, code)).find((each) => each.platform === code_);
        expect(metrics).toEqual({
          platform: code_,
          sends: sent,
          errors: dead,
          opens: 0,
          deliveries: 0,
          inbox_opens: 0,
          unshowable_sends: of(code_, 'muted').length,
        });
        expect(funnelFigures(await funnelOf(code), code_)).toEqual({
          audience: sent + dead,
          eligible: sent + dead,
          sent,
          failed: dead,
          errors: { INVALID_TOKEN: dead },
          rows: {
            DISPLAYABLE_NO_CONFIRMATION: sent - of(code_, 'muted').length,
            NOT_DISPLAYABLE_NO_CONFIRMATION: of(code_, 'muted').length,
          },
          confirmed: 0,
          opened: 0,
        });
        const pushes = pushesOf(world.simulators, provider, code);
        const accepted = pushes.filter(({ reason }) => reason === 'accepted');
        expect(accepted.map(({ token }) => token).sort()).toEqual(
          reached(code_)
            .map(({ token }) => token)
            .sort(),
        );
        const refused = pushes.filter(({ reason }) => reason !== 'accepted').map(({ token }) => token);
        expect(refused.sort()).toEqual(
          of(code_, 'dead', 'throttled')
            .map(({ token }) => token)
            .sort(),
        );
      },
    );

    it('is rendered for each device in its language with its values', () => {
      for (const [code_, provider] of providers) {
        const pushes = new Map(pushesOf(world.simulators, provider, code).map((push) => [push.token, push]));
        for (const phone of reached(code_)) {
          expect([phone.hwid, shown(provider, pushes.get(phone.token)!.payload)]).toEqual([
            phone.hwid,
            { text: textFor(phone), title: titleFor(phone) },
          ]);
        }
      }
    });

    it('is listed as it was sent', async () => {
      expect(await listedMessage(world, application, code)).toMatchObject({
        code,
        status: 'DONE',
        source: 'API',
        platforms: expect.arrayContaining(['IOS', 'ANDROID', 'CHROME']),
        push_info: {
          details: {
            content: {
              en: notification.content.en,
              de: notification.content.DE,
              default: notification.content.default,
            },
            conditions: [
              ['Level', 'BETWEEN', [20, 79]],
              ['Plan', 'IN', ['gold', 'silver']],
            ],
            conditions_operator: 'AND',
          },
          follow_user_timezone: false,
        },
      });
      const { funnel_state, channels, window_from, window_to } = await funnelOf(code);
      expect([funnel_state, channels.map(({ channel }) => channel)]).toEqual([
        'FUNNEL_STATE_READY',
        ['CHANNEL_MOBILE_PUSH'],
      ]);
      expect(channels[0]).toMatchObject({
        deliveries_form: 'DELIVERIES_FORM_PER_DEVICE',
        basic_form_reason: 'BASIC_FORM_REASON_UNSPECIFIED',
      });
      for (const time of [window_from, window_to]) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    });

    describe('the reports of devices', () => {
      const delivers = ({ nth }: Phone): boolean => nth % 10 < 6;
      const opens = ({ nth }: Phone): boolean => nth % 10 < 4 || nth % 10 === 8;
      const confirms = (phone: Phone): boolean => delivers(phone) || opens(phone);
      const isIn = (code_: number, holds: (phone: Phone) => boolean, ...outcomes: Outcome[]): number =>
        of(code_, ...outcomes).filter(holds).length;
      const sentTo = ['accepts', 'throttled', 'muted'] as const;

      beforeAll(async () => {
        const hashes = new Map(
          providers.flatMap(([, provider]) =>
            pushesOf(world.simulators, provider, code).map(({ token, hash }) => [token, hash] as const),
          ),
        );
        await Promise.all(
          addressed.flatMap((phone) => {
            const report = { application, hwid: phone.hwid, hash: hashes.get(phone.token)! };
            return [
              ...(delivers(phone) ? [world.call('messageDeliveryEvent', report)] : []),
              ...(opens(phone) ? [world.call('pushStat', report), world.call('pushStat', report)] : []),
            ];
          }),
        );
        const hash = hashes.get(reached(ANDROID)[0]!.token)!;
        const whole = hash.split('_');
        const bystander = phones.find((phone) => !isAddressed(phone))!;
        const another = await world.application({ title: 'Another' });
        await register(another, reached(ANDROID)[0]!.hwid, android('another'));
        await Promise.all([
          world.call('pushStat', { application, hwid: bystander.hwid, hash }),
          world.call('pushStat', { application, hwid: 'nobody', hash }),
          world.call('pushStat', { application, hwid: reached(ANDROID)[0]!.hwid }),
          world.call('pushStat', { application: another, hwid: reached(ANDROID)[0]!.hwid, hash }),
          world.call('pushStat', { application, hwid: bystander.hwid, hash: 'P_0_1_bEL-4nm3p4-4bbkUN' }),
        ]);
        const repeated = addressed.find(
          (phone) => phone.platform === IOS && opens(phone) && phone.outcome === 'accepts',
        )!;
        const bare = [...hashes.get(repeated.token)!.split('_').slice(0, 4)].join('_');
        await world.call('pushStat', { application, hwid: repeated.hwid, hash: bare });
        expect(whole).toHaveLength(5);
        await world.settle();
      });

      it.each([IOS, ANDROID])('are counted once for each device of platform %d', async (code_) => {
        const metrics = (await metricsOf(application, code)).find((each) => each.platform === code_);
        expect(metrics).toMatchObject({
          opens: isIn(code_, opens, ...sentTo, 'dead'),
          deliveries: isIn(code_, confirms, ...sentTo, 'dead'),
        });
        const silent = (phone: Phone): boolean => !confirms(phone);
        expect(funnelFigures(await funnelOf(code), code_)).toMatchObject({
          rows: {
            DISPLAYABLE_CONFIRMED: isIn(code_, confirms, 'accepts', 'throttled'),
            DISPLAYABLE_NO_CONFIRMATION: isIn(code_, silent, 'accepts', 'throttled'),
            NOT_DISPLAYABLE_CONFIRMED: isIn(code_, confirms, 'muted'),
            NOT_DISPLAYABLE_NO_CONFIRMATION: isIn(code_, silent, 'muted'),
          },
          confirmed: isIn(code_, confirms, ...sentTo, 'dead'),
          opened: isIn(code_, opens, ...sentTo),
        });
        expect(isIn(code_, opens, 'dead')).toBeGreaterThan(0);
      });

      it('keep every invariant', async () => {
        expect(await brokenBy(application, code)).toEqual([]);
      });

      it('are shown for one platform as in the whole funnel', async () => {
        const only = await funnelOf(code, [ANDROID]);
        expect(funnelFigures(only)).toEqual(funnelFigures(await funnelOf(code), ANDROID));
        expect((await funnelOf(code, [CHROME])).channels).toEqual([]);
      });

      it('are refused with a malformed hash', async () => {
        const hwid = reached(IOS)[0]!.hwid;
        const refused = await world.reply('pushStat', { application, hwid, hash: 'P_0_1' });
        expect(refused.body).toEqual({ status_code: 210, status_message: 'hash is not valid', response: null });
      });
    });

    it('is not sent again to tokens that are dead', async () => {
      const dead = addressed.filter(({ outcome }) => outcome === 'dead');
      for (const phone of dead) buried.add(phone);
      for (const { hwid } of dead) {
        expect(await tagsOf(application, hwid)).toMatchObject({ 'Push Alerts Enabled': false });
      }
      const again = await sendOne(application, notification);
      await untilDone(world, application, again);
      expect(funnelFigures(await funnelOf(again))).toMatchObject({
        audience: reached(IOS).length + reached(ANDROID).length,
        failed: 0,
      });
      for (const { platform: code_, token } of dead) {
        expect(pushesTo(code_ === IOS ? 'apns' : 'fcm', token)).toHaveLength(1);
      }
      const names = dead.slice(0, 3).map(({ hwid }) => hwid);
      await world.call('setDebug', { code: application });
      const named = await sendOne(application, { content: 'x', devices: names });
      await world.settle();
      expect(funnelFigures(await funnelOf(named))).toMatchObject({ audience: 3, sent: 0, errors: { NO_TOKEN: 3 } });
      await world.call('setDebug', { code: application, on: false });
    });

    it.each([
      ['GTE', [['Level', 'GTE', 80]], undefined, ({ level }: Phone) => level >= 80],
      ['NOTEQ', [['Plan', 'NOTEQ', 'free']], undefined, ({ plan }: Phone) => plan !== 'free'],
      ['EQ of what some do not have', [['Name', 'EQ', 'anna']], undefined, ({ name }: Phone) => name === 'anna'],
      [
        'NOTIN of what some do not have',
        [['Name', 'NOTIN', ['anna']]],
        undefined,
        ({ name }: Phone) => name !== 'anna',
      ],
      ['a default tag', [['Language', 'EQ', 'de']], undefined, ({ language }: Phone) => language === 'de'],
      [
        'OR',
        [
          ['Level', 'LTE', 9],
          ['Plan', 'EQ', 'gold'],
        ],
        'OR',
        ({ level, plan }: Phone) => level <= 9 || plan === 'gold',
      ],
      ['a bare triple', ['Level', 'IN', [0, 1, 2]], undefined, ({ level }: Phone) => level <= 2],
    ])('goes to the devices that its conditions select: %s', async (_what, conditions, joint, holds) => {
      const expected = phones.filter((phone) => phone.token !== '' && !buried.has(phone) && holds(phone));
      const message = await sendOne(application, { content: 'x', conditions, conditions_operator: joint });
      await world.settle();
      expect(funnelFigures(await funnelOf(message)).audience).toBe(expected.length);
      // Pending retries must not reach into the next test.
      await untilDone(world, application, message);
      for (const phone of expected) if (phone.outcome === 'dead') buried.add(phone);
    });

    it('may address every device, and counts those without a token', async () => {
      const message = await sendOne(application, { content: 'x', devices: phones.map(({ hwid }) => hwid) });
      await untilDone(world, application, message);
      const withoutToken = phones.filter((phone) => phone.token === '' || buried.has(phone)).length;
      expect(funnelFigures(await funnelOf(message))).toMatchObject({
        audience: phones.length,
        sent: phones.length - withoutToken,
        errors: { NO_TOKEN: withoutToken },
      });
      expect(await brokenBy(application, message)).toEqual([]);
    });

    it('may have an empty audience, and is done at once', async () => {
      const message = await sendOne(application, { content: 'x', conditions: [['Level', 'EQ', 1000]] });
      await world.settle();
      expect(await listedMessage(world, application, message)).toMatchObject({
        status: 'DONE',
        push_info: { metrics: [] },
      });
      expect(await funnelOf(message)).toEqual({
        funnel_state: 'FUNNEL_STATE_NO_EVENTS',
        window_from: null,
        window_to: null,
        channels: [],
      });
    });
  });
}
