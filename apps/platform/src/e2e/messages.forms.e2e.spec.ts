import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseStatisticsHash } from '@tidings/messaging';
// eslint-disable-next-line @nx/enforce-module-boundaries -- a program of its own, whose special tokens a suite needs
import * as simulators from '@tidings/simulators';
import {
  brokenInvariants,
  funnelFigures,
  listedMessage,
  type Parameters,
  platform,
  type PlatformWorld,
  pushesOf,
  untilDone,
} from '@tidings/testing';

const { apnsReasonToken, apnsToken, fcmReasonToken, fcmToken, generateServiceAccount, publicKeyOf } = simulators;

const IOS = 1;
const ANDROID = 3;
const CHROME = 11;
const MAC = 7;
const providers = [
  [IOS, 'apns'],
  [ANDROID, 'fcm'],
] as const;
const CODE = /^[0-9A-F]{4}-[0-9A-F]{8}-[0-9A-F]{8}$/;
const HIDDEN = 'CODE_NOT_AVAILABLE';

let world: PlatformWorld;
beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  await world.call('addTag', { tag: { name: 'Level', type: 1, application_specific: true } });
  await world.call('addTag', { tag: { name: 'Plan', type: 2, application_specific: true } });
  await world.call('addTag', { tag: { name: 'Name', type: 2 } });
  await world.call('addTag', { tag: { name: 'Interests', type: 3, application_specific: true } });
});
afterAll(() => world?.stop());

const send = async (application: string, ...notifications: Parameters[]) =>
  world.call('createMessage', { application, notifications });
/** Sends one message and answers its code. */
const sendOne = async (application: string, notification: Parameters): Promise<string> =>
  (await send(application, notification)).Messages[0]!;
const register = (application: string, hwid: string, more: Parameters) =>
  world.call('registerDevice', { application, hwid, ...more });
const android = (token: string): Parameters => ({ device_type: ANDROID, push_token: token });
const ios = (token: string): Parameters => ({ device_type: IOS, push_token: token });
const tagsOf = async (application: string, hwid: string) => (await world.call('getTags', { application, hwid })).result;
const funnelOf = (code: string, platforms?: number[]) =>
  world.call('getDeliveryFunnel', { message_code: code, ...(platforms ? { platforms } : {}) });
const metricsOf = async (application: string, code: string) =>
  (await listedMessage(world, application, code))?.push_info.metrics ?? [];
/** The invariants of R-H14 that the funnel and the metrics of a message break. */
const brokenBy = async (application: string, code: string) =>
  brokenInvariants(await funnelOf(code), await metricsOf(application, code));
/** How often a token was pushed to, by what the provider said. */
const pushesTo = (provider: 'apns' | 'fcm', token: string): string[] =>
  world.simulators.ledger
    .of(provider)
    .entries({ token, limit: Infinity })
    .map(({ reason }) => reason);
/** The payload that a token was last sent. */
const payloadOf = (provider: 'apns' | 'fcm', token: string): Record<string, unknown> =>
  JSON.parse(world.simulators.ledger.of(provider).entries({ token, limit: Infinity }).at(-1)!.payload!) as Record<
    string,
    unknown
  >;
const applicationInDebug = async (): Promise<string> => {
  const application = await world.application();
  await world.call('setDebug', { code: application });
  return application;
};

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
  /** Devices whose tokens the providers have called dead so far. */
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
    const raised = name && name[0]!.toUpperCase() + name.slice(1);
    if (language === 'en') return `Hello ${raised ?? 'friend'}, level ${level}`;
    if (language === 'de') return `Hallo ${raised ?? 'Freund'}, Stufe ${level}`;
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
  const of = (platform: number, ...wanted: Outcome[]): Phone[] =>
    addressed.filter((phone) => phone.platform === platform && wanted.includes(phone.outcome));
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

  it('has something of everything to begin with', () => {
    for (const [code] of providers) {
      for (const outcome of ['accepts', 'dead', 'throttled', 'muted'] as const)
        expect(of(code, outcome)).not.toEqual([]);
    }
    expect(addressed.length).toBeLessThan(phones.length / 2);
  });

  it.each(providers)(
    'ends at every device of platform %d as its provider says, to the device',
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

  it('speaks to each device in its language and of its own', () => {
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
          content: { en: notification.content.en, de: notification.content.DE, default: notification.content.default },
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

  describe('when devices report', () => {
    /** Of the devices that a provider was asked for, by the ten. */
    const delivers = ({ nth }: Phone): boolean => nth % 10 < 6;
    const opens = ({ nth }: Phone): boolean => nth % 10 < 4 || nth % 10 === 8;
    const confirms = (phone: Phone): boolean => delivers(phone) || opens(phone);
    const isIn = (code_: number, holds: (phone: Phone) => boolean, ...wanted: Outcome[]): number =>
      of(code_, ...wanted).filter(holds).length;
    const sentTo = ['accepts', 'throttled', 'muted'] as const;

    beforeAll(async () => {
      const hashes = new Map(
        providers.flatMap(([, provider]) =>
          pushesOf(world.simulators, provider, code).map(({ token, hash }) => [token, hash] as const),
        ),
      );
      // The dead report too: a provider's word is not proof that nothing arrived.
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
        // Nobody's devices and messages, and no hash at all, count nowhere.
        world.call('pushStat', { application, hwid: bystander.hwid, hash }),
        world.call('pushStat', { application, hwid: 'nobody', hash }),
        world.call('pushStat', { application, hwid: reached(ANDROID)[0]!.hwid }),
        world.call('pushStat', { application: another, hwid: reached(ANDROID)[0]!.hwid, hash }),
        world.call('pushStat', { application, hwid: bystander.hwid, hash: 'P_0_1_bEL-4nm3p4-4bbkUN' }),
      ]);
      // A hash without our part leads to the device by its hwid; one more way to repeat a report.
      const repeated = addressed.find(
        (phone) => phone.platform === IOS && opens(phone) && phone.outcome === 'accepts',
      )!;
      const bare = [...hashes.get(repeated.token)!.split('_').slice(0, 4)].join('_');
      await world.call('pushStat', { application, hwid: repeated.hwid, hash: bare });
      expect(whole).toHaveLength(5);
      await world.settle();
    });

    it.each([IOS, ANDROID])('counts each device of platform %d once', async (code_) => {
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

    it('keeps every invariant', async () => {
      expect(await brokenBy(application, code)).toEqual([]);
    });

    it('shows one platform as if it were all', async () => {
      const only = await funnelOf(code, [ANDROID]);
      expect(funnelFigures(only)).toEqual(funnelFigures(await funnelOf(code), ANDROID));
      expect((await funnelOf(code, [CHROME])).channels).toEqual([]);
    });

    it('refuses what is no hash, and takes what is nobody’s', async () => {
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
      errors: {},
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
    ['NOTIN of what some do not have', [['Name', 'NOTIN', ['anna']]], undefined, ({ name }: Phone) => name !== 'anna'],
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
  ])('is for whom its conditions say: %s', async (_what, conditions, joint, holds) => {
    const expected = phones.filter((phone) => phone.token !== '' && !buried.has(phone) && holds(phone));
    const message = await sendOne(application, { content: 'x', conditions, conditions_operator: joint });
    await world.settle();
    expect(funnelFigures(await funnelOf(message)).audience).toBe(expected.length);
    // What waits for its retry must not reach into the next test.
    await untilDone(world, application, message);
    for (const phone of expected) if (phone.outcome === 'dead') buried.add(phone);
  });

  it('may name everybody, and tells of those who have no token', async () => {
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

  it('may be for nobody, and is done then', async () => {
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

describe('whatever becomes of a push', () => {
  /** What devices with tokens of a kind end as; '' = sent. */
  const common: Readonly<Partial<Record<simulators.Kind, string>>> = {
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
    /** The token is forgotten. */
    readonly forgotten: boolean;
  }

  const endings: readonly Ending[] = [
    ...Object.entries(common).flatMap(([name, category], n): Ending[] => {
      const kind = name as Exclude<simulators.Kind, 'reason'>;
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
    // Retries go on for an hour. Long steps would spend it on a few tries, and connections that end under some devices cost others theirs.
    await untilDone(world, application, code, { stepSeconds: 130, patienceSeconds: 10_000 });
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

  it('is named by the provider’s code and reason, or by ours', async () => {
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

  it('is not tried longer than the message lives', async () => {
    const mortal = await applicationInDebug();
    await register(mortal, 'never', ios(apnsToken('unavailable', 500, 0)));
    await register(mortal, 'late', ios(apnsToken('unavailable', 501, 2)));
    const devices = ['never', 'late'];
    const short = await sendOne(mortal, { content: 'x', devices, ios_ttl: 60 });
    const passed = await untilDone(world, mortal, short, { stepSeconds: 10 });
    expect(passed).toBeLessThanOrEqual(60);
    expect(funnelFigures(await funnelOf(short))).toMatchObject({ sent: 1, errors: { PROVIDER_ERROR: 1 } });
  });

  it('costs a device its token only where the code says so', async () => {
    for (const { hwid, forgotten } of endings) {
      expect([hwid, (await tagsOf(application, hwid))['Push Alerts Enabled']]).toEqual([hwid, !forgotten]);
    }
  });

  it('reaches a device twice only in a way that shows it once', () => {
    for (const [, provider] of providers) {
      const { duplicates, masked } = world.simulators.ledger.of(provider).summary();
      expect(duplicates).toBe(masked);
      // The reply to it was lost, so it was sent again.
      expect(duplicates).toBeGreaterThanOrEqual(1);
    }
  });
});

describe('platforms that are not set up', () => {
  const devices = async (application: string): Promise<void> => {
    await world.registerDevices(application, 12, (i) => ({
      hwid: `d-${i}`,
      ...(i % 2 === 0 ? ios(apnsToken('accepted', 5000 + i)) : android(fcmToken('accepted', 5000 + i))),
    }));
  };

  it('are errors of their own kind and take nothing from the others', async () => {
    const application = await world.application({ ios: false });
    await devices(application);
    const code = await sendOne(application, { content: 'x' });
    await world.settle();
    const funnel = await funnelOf(code);
    expect(funnelFigures(funnel, IOS)).toMatchObject({ eligible: 6, sent: 0, errors: { PLATFORM_DISABLED: 6 } });
    expect(funnelFigures(funnel, ANDROID)).toMatchObject({ eligible: 6, sent: 6, errors: {} });
    expect(await brokenBy(application, code)).toEqual([]);
  });

  it('have credentials that the provider refuses', async () => {
    const application = await world.application({ title: 'Refused', ios: false, android: false });
    await devices(application);
    await world.call('configureApplication', {
      application,
      device_type: IOS,
      ios_key_management_type: 'manual',
      ios_key_file: Buffer.from('no key').toString('base64'),
      ios_key_password: '',
      ios_gateway: 1,
      ios_framework: 'native',
    });
    // Nobody at Google knows this account's key.
    const account = generateServiceAccount(world.simulators.tokenUrl);
    const other = generateServiceAccount(world.simulators.tokenUrl);
    world.simulators.keys.register({
      google: [{ ...publicKeyOf(other), clientEmail: publicKeyOf(account).clientEmail }],
    });
    await world.call('configureApplication', {
      application,
      device_type: ANDROID,
      android_framework: 'native',
      android_fcm_service_account: account,
    });
    const code = await sendOne(application, { content: 'x' });
    await untilDone(world, application, code);
    const funnel = await funnelOf(code);
    for (const each of [IOS, ANDROID]) {
      expect(funnelFigures(funnel, each)).toMatchObject({ eligible: 6, sent: 0, errors: { INVALID_CONFIGURATION: 6 } });
    }
    expect(await brokenBy(application, code)).toEqual([]);
  });
});

describe('named recipients', () => {
  let application: string;
  const token = (i: number): string => fcmToken('accepted', 6000 + i);
  const appleToken = (i: number): string => apnsToken('accepted', 6000 + i);
  const isApple = (i: number): boolean => i >= 12;
  const hwids = Array.from({ length: 16 }, (_, i) => `n-${i}`);
  const pushes = (i: number): number =>
    isApple(i) ? pushesTo('apns', appleToken(i)).length : pushesTo('fcm', token(i)).length;

  beforeAll(async () => {
    application = await world.application();
    await world.registerDevices(application, hwids.length, (i) => ({
      hwid: hwids[i],
      ...(isApple(i) ? ios(appleToken(i).toUpperCase()) : android(token(i))),
      ...(i < 3 ? { userId: 'anna' } : i === 3 || i === 13 ? { userId: 'boris' } : {}),
    }));
  });

  const listed = async (): Promise<string[]> =>
    (await world.call('messagesList', { filters: { application } })).items.map(({ code }) => code);

  it('below ten get their message, of which no code is told and nothing is kept', async () => {
    const before = await listed();
    const { Messages: messages, ...rest } = await send(application, { content: 'few', devices: hwids.slice(0, 9) });
    expect([messages, rest]).toEqual([[HIDDEN], {}]);
    await world.settle();
    expect(hwids.slice(0, 10).map((_, i) => pushes(i))).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 0]);
    expect(await listed()).toEqual(before);
    expect((await world.reply('getDeliveryFunnel', { message_code: HIDDEN })).status).toBe(404);
    // Reports come with the real code, which shows nowhere either.
    const { hash } = world.simulators.ledger.of('fcm').entries({ token: token(0) })[0]!;
    await world.call('pushStat', { application, hwid: hwids[0], hash });
    await world.settle();
    const real = parseStatisticsHash(hash)!.code;
    expect(real).toMatch(CODE);
    expect((await world.reply('getDeliveryFunnel', { message_code: real })).status).toBe(404);
    expect(await listedMessage(world, application, real)).toBeUndefined();
  });

  it('from ten on are a message like any other', async () => {
    const code = await sendOne(application, { content: 'ten', devices: hwids.slice(0, 10) });
    expect(code).toMatch(CODE);
    await world.settle();
    expect(await listedMessage(world, application, code)).toMatchObject({ status: 'DONE' });
    expect(funnelFigures(await funnelOf(code))).toMatchObject({ audience: 10, sent: 10 });
  });

  it('are counted once, however often they are named', async () => {
    const before = pushes(0);
    const twelve = [...hwids.slice(0, 9), hwids[0]!, hwids[1]!, hwids[2]!];
    expect(await sendOne(application, { content: 'x', devices: twelve })).toBe(HIDDEN);
    await world.settle();
    expect(pushes(0)).toBe(before + 1);
  });

  it('have a code in debug mode, for an hour', async () => {
    await world.call('setDebug', { code: application });
    const code = await sendOne(application, { content: 'x', devices: [hwids[0]!] });
    expect(code).toMatch(CODE);
    await world.settle();
    expect(await listed()).toContain(code);
    await world.advance(3601);
    expect(await sendOne(application, { content: 'x', devices: [hwids[0]!] })).toBe(HIDDEN);
    await world.call('setDebug', { code: application });
    const { debug_until } = await world.call('setDebug', { code: application, on: false });
    expect(debug_until).toBeNull();
    expect(await sendOne(application, { content: 'x', devices: [hwids[0]!] })).toBe(HIDDEN);
    await world.settle();
  });

  it('that nobody knows are told of', async () => {
    const unknown = { ...(await send(application, { content: 'x', devices: [hwids[0]!, 'foo', 'bar', 'foo'] })) };
    expect(unknown).toEqual({ Messages: [HIDDEN], UnknownDevices: { [HIDDEN]: ['foo', 'bar'] } });
    const many = await send(application, { content: 'x', devices: [...hwids, 'foo'] });
    expect(many).toEqual({ Messages: many.Messages, UnknownDevices: { [many.Messages[0]!]: ['foo'] } });
    expect(many.Messages[0]).toMatch(CODE);
    const nobody = await send(application, { content: 'x', devices: Array.from({ length: 10 }, (_, i) => `who-${i}`) });
    await world.settle();
    expect(await listedMessage(world, application, nobody.Messages[0]!)).toMatchObject({ status: 'DONE' });
    expect((await funnelOf(nobody.Messages[0]!)).funnel_state).toBe('FUNNEL_STATE_NO_EVENTS');
  });

  it('may be named by their tokens, in any case on iOS alone', async () => {
    const before = [pushes(12), pushes(5)];
    const reply = await send(application, {
      content: 'x',
      devices: [appleToken(12).toUpperCase(), token(5), token(6).toUpperCase()],
    });
    expect(reply).toEqual({ Messages: [HIDDEN], UnknownDevices: { [HIDDEN]: [token(6).toUpperCase()] } });
    await world.settle();
    expect([pushes(12), pushes(5)]).toEqual(before.map((n) => n + 1));
  });

  it('are reached on the platforms that the message names, from ten entries on', async () => {
    const few = { content: 'x', devices: [hwids[0]!, hwids[13]!], platforms: [99] };
    const before = [pushes(0), pushes(13)];
    expect(await sendOne(application, few)).toBe(HIDDEN);
    await world.settle();
    expect([pushes(0), pushes(13)]).toEqual(before.map((n) => n + 1));
    const code = await sendOne(application, { content: 'x', devices: hwids, platforms: [IOS] });
    await world.settle();
    expect(funnelFigures(await funnelOf(code))).toMatchObject({ audience: 4, sent: 4 });
    expect(funnelFigures(await funnelOf(code), ANDROID).audience).toBe(0);
  });

  it('are listed under the platforms that they have (R-RES22)', async () => {
    const under = async (...platforms: string[]): Promise<string[]> =>
      (await world.call('messagesList', { filters: { application, platforms } })).items.map(({ code }) => code);
    const phones = Array.from({ length: 10 }, (_, i) => `listed-${i}`);
    for (const hwid of phones) await world.call('registerDevice', { application, hwid, device_type: ANDROID });
    const code = await sendOne(application, { content: 'x', devices: phones });
    expect((await listedMessage(world, application, code))?.platforms).toEqual(['ANDROID']);
    expect(await under('ANDROID')).toContain(code);
    for (const platform of ['IOS', 'EMAIL']) expect(await under(platform)).not.toContain(code);
    expect(await under('EMAIL', 'SMS')).toEqual([]);
  });

  it('may be users, with all their devices', async () => {
    const before = hwids.map((_, i) => pushes(i));
    const notification = { content: 'x', users: ['anna', 'boris', 'nobody', hwids[9]!], devices: [hwids[5]!] };
    expect(await send(application, notification)).toEqual({ Messages: [HIDDEN] });
    await world.settle();
    const got = hwids.filter((_, i) => pushes(i) > before[i]!);
    expect(got).toEqual([0, 1, 2, 3, 9, 13].map((i) => hwids[i]));
  });

  it('may be users on some platforms', async () => {
    const before = [pushes(3), pushes(13)];
    await send(application, { content: 'x', users: ['boris'], platforms: [IOS] });
    await world.settle();
    expect([pushes(3), pushes(13)]).toEqual([before[0], before[1]! + 1]);
  });

  it('that have no token fail for that', async () => {
    await world.call('unregisterDevice', { application, hwid: hwids[11] });
    const code = await sendOne(application, { content: 'x', devices: hwids.slice(2, 12) });
    await world.settle();
    expect(funnelFigures(await funnelOf(code))).toMatchObject({ audience: 10, sent: 9, errors: { NO_TOKEN: 1 } });
    const all = await sendOne(application, { content: 'x' });
    await world.settle();
    expect(funnelFigures(await funnelOf(all))).toMatchObject({ audience: 15, sent: 15, errors: {} });
    expect(await brokenBy(application, code)).toEqual([]);
  });

  it('restrict a message to everybody as well', async () => {
    const code = await sendOne(application, { content: 'x', platforms: [ANDROID, CHROME] });
    await world.settle();
    expect(funnelFigures(await funnelOf(code))).toMatchObject({ audience: 11, sent: 11 });
    expect((await listedMessage(world, application, code))?.platforms).toEqual(['ANDROID', 'CHROME']);
  });
});

describe('a transactionId', () => {
  let application: string;
  const token = fcmToken('accepted', 7000);
  beforeAll(async () => {
    application = await world.application();
    await register(application, 'only', android(token));
  });
  const total = async (): Promise<number> => (await world.call('messagesList', { filters: { application } })).total;

  it('makes one message of fifty requests at once', async () => {
    const notification = { content: 'once', transactionId: 'at-once' };
    const codes = await Promise.all(Array.from({ length: 50 }, () => sendOne(application, notification)));
    await world.settle();
    expect([new Set(codes).size, await total(), pushesTo('fcm', token)]).toEqual([1, 1, ['accepted']]);
    expect(codes[0]).toMatch(CODE);
  });

  it('makes one message of two in one request, and of many in several', async () => {
    const before = await total();
    const one = { content: 'x', transactionId: 'twice' };
    const { Messages: messages } = await send(application, one, { ...one, content: 'y' }, { content: 'z' });
    expect([messages[1], messages[2] === messages[0]]).toEqual([messages[0], false]);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => send(application, { ...one, transactionId: `many-${i % 2}` }, one)),
    );
    expect(new Set(replies.flatMap(({ Messages: codes }) => codes)).size).toBe(3);
    await world.settle();
    expect(await total()).toBe(before + 4);
  });

  it('is one for the whole account, whatever the request says besides', async () => {
    const other = await world.application({ title: 'Other' });
    const code = await sendOne(application, { content: 'x', transactionId: 'account' });
    const repeat = await send(other, { content: 'else', devices: ['unknown'], transactionId: 'account' });
    expect(repeat).toEqual({ Messages: [code] });
  });

  it('answers what the first was answered, also where that is no code', async () => {
    const pushed = (): number => pushesTo('fcm', token).length;
    await world.settle();
    const before = pushed();
    const notification = { content: 'x', devices: ['only', 'foo'], transactionId: 'hidden' };
    expect(await send(application, notification)).toMatchObject({ UnknownDevices: { [HIDDEN]: ['foo'] } });
    expect(await send(application, notification)).toEqual({ Messages: [HIDDEN] });
    await world.settle();
    expect(pushed()).toBe(before + 1);
  });

  it('is kept for 300 seconds, which repeats do not prolong', async () => {
    const notification = { content: 'x', transactionId: 'minutes' };
    const code = await sendOne(application, notification);
    // Time passes by itself as well, hence not to the second.
    await world.advance(270);
    expect(await sendOne(application, notification)).toBe(code);
    await world.advance(31);
    const next = await sendOne(application, notification);
    expect(next).not.toBe(code);
    expect(await sendOne(application, notification)).toBe(next);
  });

  it('may be empty, and is none then', async () => {
    const notification = { content: 'x', transactionId: '' };
    expect(await sendOne(application, notification)).not.toBe(await sendOne(application, notification));
    await world.settle();
  });
});

describe('a push token', () => {
  let application: string;
  beforeAll(async () => {
    application = await applicationInDebug();
  });
  const errorsOf = async (code: string) => {
    await world.settle();
    return funnelFigures(await funnelOf(code)).errors;
  };

  it('goes with the device that registers it last', async () => {
    const token = fcmToken('accepted', 8000);
    await register(application, 'old', android(token));
    await world.settle();
    await register(application, 'new', android(token));
    await world.settle();
    const old = await sendOne(application, { content: 'for the old one', devices: ['old'] });
    expect(await errorsOf(old)).toEqual({ NO_TOKEN: 1 });
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['new'] }))).toEqual({});
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: [token] }))).toEqual({});
    expect(pushesTo('fcm', token)).toHaveLength(2);
    // The same token on another platform is another one.
    await register(application, 'apple', ios(token));
    await world.settle();
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['new'] }))).toEqual({});
  });

  it('is kept when it died before it was registered again', async () => {
    const token = apnsToken('dead', 8001, 30);
    await register(application, 'revived', ios(token));
    const send1 = await sendOne(application, { content: 'x', devices: ['revived'] });
    expect(await errorsOf(send1)).toEqual({ INVALID_TOKEN: 1 });
    expect(await tagsOf(application, 'revived')).toMatchObject({ 'Push Alerts Enabled': true });
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['revived'] }))).toEqual({
      INVALID_TOKEN: 1,
    });
    await world.advance(31 * 60);
  });

  it('comes back with the next registration', async () => {
    await register(application, 'again', android(fcmToken('dead', 8002)));
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['again'] }))).toEqual({
      INVALID_TOKEN: 1,
    });
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['again'] }))).toEqual({ NO_TOKEN: 1 });
    await register(application, 'again', android(fcmToken('accepted', 8003)));
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['again'] }))).toEqual({});
    expect(await tagsOf(application, 'again')).toMatchObject({ 'Push Alerts Enabled': true });
    await register(application, 'again', { device_type: ANDROID });
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['again'] }))).toEqual({});
    await register(application, 'again', android(''));
    expect(await errorsOf(await sendOne(application, { content: 'x', devices: ['again'] }))).toEqual({ NO_TOKEN: 1 });
  });

  it('is left alone by what passes', async () => {
    for (const [i, kind] of (['throttled', 'unavailable', 'wrongTopic'] as const).entries()) {
      const hwid = `passing-${kind}`;
      await register(application, hwid, ios(apnsToken(kind, 8010 + i)));
      const code = await sendOne(application, { content: 'x', devices: [hwid] });
      await untilDone(world, application, code);
      expect(await tagsOf(application, hwid)).toMatchObject({ 'Push Alerts Enabled': true });
    }
  });
});

describe('a payload', () => {
  const apple = apnsToken('accepted', 9000);
  const google = fcmToken('accepted', 9000);
  let application: string;
  beforeAll(async () => {
    application = await applicationInDebug();
    const tags = { Name: 'Zoë "Z"', Level: 7, Interests: ['news', 'sport'] };
    await register(application, 'apple', { ...ios(apple), language: 'de', tags });
    await register(application, 'google', { ...android(google), language: 'de', tags });
  });

  const devices = ['apple', 'google'];
  const hash = expect.stringMatching(/^P_0_[0-9a-zA-Z]+_[0-9a-zA-Z]+-[0-9a-zA-Z]+-[0-9a-zA-Z]+_[0-9a-zA-Z]+$/);
  /** Sends to both devices and answers what each provider was sent. */
  const rendered = async (notification: Parameters) => {
    const code = await sendOne(application, { devices, ...notification });
    await world.settle();
    const { message } = payloadOf('fcm', google) as {
      message: { data: Record<string, string>; android: Parameters; token: string };
    };
    return { code, ios: payloadOf('apns', apple) as { aps: Parameters } & Record<string, unknown>, ...message };
  };
  const shortLink = (link: unknown): string => {
    expect(link).toMatch(/\/s\/[0-9A-Za-z]{8}$/);
    expect(String(link).startsWith(`${world.url}/s/`)).toBe(true);
    return new URL(String(link)).pathname;
  };

  it('has what clients read, and nothing else', async () => {
    const plain = await rendered({ content: 'Hello' });
    expect(plain.ios).toEqual({ aps: { alert: 'Hello', sound: 'default' }, pw_msg: '1', p: hash });
    expect(plain.data).toEqual({ title: 'Hello', pw_msg: '1', p: hash, pw_msg_tag: plain.code });
    expect([plain.token, plain.android]).toEqual([google, { collapse_key: plain.code }]);
    for (const p of [plain.ios['p'], plain.data['p']]) {
      expect(parseStatisticsHash(String(p))).toMatchObject({ code: plain.code, campaignId: 0n });
    }
    expect((await listedMessage(world, application, plain.code))!.id).toBe(
      Number(parseStatisticsHash(plain.data['p']!)!.messageId),
    );
  });

  it('has all that iOS can be told', async () => {
    const { ios: payload } = await rendered({
      content: 'common',
      title: 'common',
      ios_content: { en: 'Body', de: 'Text' },
      ios_title: 'Title',
      ios_subtitle: { default: 'Subtitle' },
      ios_badges: '5',
      ios_sound: 'ding.caf',
      ios_category_id: 'OFFER',
      ios_thread_id: 'thread',
      ios_interruption_level: 'time-sensitive',
      ios_attachment: 'https://example.com/a.png',
      ios_root_params: { aps: { 'content-available': 1 }, own: { deep: [1] } },
      data: { article: 17, tags: ['a'] },
      link: 'app://open?x=1',
    });
    expect(payload).toEqual({
      aps: {
        alert: { title: 'Title', subtitle: 'Subtitle', body: 'Text' },
        badge: 5,
        sound: 'ding.caf',
        category: 'OFFER',
        'thread-id': 'thread',
        'interruption-level': 'time-sensitive',
        'mutable-content': 1,
        'content-available': 1,
      },
      u: '{"article":17,"tags":["a"]}',
      l: 'app://open?x=1',
      attachment: 'https://example.com/a.png',
      own: { deep: [1] },
      pw_msg: '1',
      p: hash,
    });
  });

  it('has all that Android can be told, as strings', async () => {
    const {
      data,
      android: envelope,
      code,
    } = await rendered({
      content: 'common',
      title: 'common',
      android_content: { en: 'Body', de: 'Text' },
      android_header: 'Header',
      android_badges: 5,
      android_sound: 'ding',
      android_icon: 'icon',
      android_custom_icon: 'https://example.com/i.png',
      android_banner: 'https://example.com/b.png',
      android_vibration: 1,
      android_led: 'FF8800',
      android_priority: -2,
      android_delivery_priority: 'high',
      android_ibc: '#112233',
      android_group_id: 'group',
      android_gcm_ttl: 60,
      android_root_params: { CancelID: 7, own: { deep: [1] }, p: 'not ours' },
      data: '{"a" : 1}',
      link: 'https://example.com/',
      minimize_link: 0,
    });
    expect(envelope).toEqual({ collapse_key: code, priority: 'HIGH', ttl: '60s' });
    expect(data).toEqual({
      title: 'Text',
      header: 'Header',
      u: '{"a" : 1}',
      l: 'https://example.com/',
      s: 'ding',
      i: 'icon',
      ci: 'https://example.com/i.png',
      b: 'https://example.com/b.png',
      ibc: '#112233',
      led: '#FF8800',
      vib: '1',
      pri: '-2',
      pw_badges: '5',
      group_id: 'group',
      CancelID: '7',
      own: '{"deep":[1]}',
      pw_msg_tag: code,
      pw_msg: '1',
      p: hash,
    });
  });

  it('may be silent', async () => {
    const { ios: payload, data } = await rendered({
      content: 'x',
      title: 'x',
      ios_silent: 1,
      android_silent: 1,
      data: [1],
    });
    expect(payload).toEqual({ aps: { 'content-available': 1 }, u: '[1]', pw_msg: '1', p: hash });
    expect(data).toMatchObject({ silent: '1', pw_silent: '1', u: '[1]' });
  });

  it('may play nothing', async () => {
    const { ios: payload, data } = await rendered({ content: 'x', ios_sound_off: true, android_sound_off: true });
    expect(payload.aps).toEqual({ alert: 'x' });
    expect(data['s']).toBe('');
  });

  it('counts badges from what each device was shown last', async () => {
    const badges = async (badge: string): Promise<unknown[]> => {
      const { ios: payload, data } = await rendered({ content: 'x', ios_badges: badge, android_badges: badge });
      return [payload.aps['badge'], data['pw_badges']];
    };
    expect(await badges('3')).toEqual([3, '3']);
    expect(await badges('+1')).toEqual([4, '4']);
    expect(await badges('+2')).toEqual([6, '6']);
    expect(await badges('-10')).toEqual([0, '0']);
    expect(await badges('+1')).toEqual([1, '1']);
    // A badge that was not sent is no base.
    const dead = apnsToken('dead', 9001);
    await register(application, 'dead', ios(dead));
    await sendOne(application, { content: 'x', devices: ['dead'], ios_badges: '+5' });
    await world.settle();
    await register(application, 'dead', ios(apnsToken('accepted', 9002)));
    await sendOne(application, { content: 'x', devices: ['dead'], ios_badges: '+1' });
    await world.settle();
    expect(payloadOf('apns', apnsToken('accepted', 9002))['aps']).toMatchObject({ badge: 1 });
  });

  it('speaks of the device in every format', async () => {
    const texts: readonly (readonly [string, string])[] = [
      ['{{Name}}', 'Zoë "Z"'],
      ['{{ name | Uppercase | x }}', 'BOUND'],
      ['{{Name|lowercase|}}', 'zoë "z"'],
      ['{Name|CapitalizeAllFirst|x}', 'Zoë "Z"'],
      ['{Name}', '{Name}'],
      ['{{Level}}', '7'],
      ['{{Interests}}', 'news, sport'],
      ['{{Nothing||else}}', 'else'],
      ['{{Nothing}}', ''],
      ['\\{{Name}}', '{{Name}}'],
      ['{{a.b.1}}', 'two'],
      ['{{greeting}}', '{{Name}}'],
      ['{{half', '{{half'],
    ];
    const { ios: payload, data } = await rendered({
      content: texts.map(([template]) => template).join(' ~ '),
      dynamic_content_placeholders: { greeting: '{{Name}}', name: 'bound' },
      template_bindings: { a: { b: ['one', 'two'] } },
    });
    const expected = texts.map(([, text]) => text).join(' ~ ');
    expect([payload.aps['alert'], data['title']]).toEqual([expected, expected]);
  });

  it('speaks of the device in links, where it is encoded', async () => {
    const { ios: payload, data } = await rendered({
      content: 'x',
      link: 'app://x/{{Name}}?l={{Level}}',
      minimize_link: 0,
    });
    const link = 'app://x/Zo%C3%AB%20%22Z%22?l=7';
    expect([payload['l'], data['l']]).toEqual([link, link]);
  });

  it('has short links, which lead where the long one does', async () => {
    const target = 'https://example.com/path?q=ä#part';
    const { ios: payload, data } = await rendered({ content: 'x', link: target });
    expect(data['l']).toBe(payload['l']);
    const path = shortLink(data['l']);
    const followed = await world.client.http.send(path);
    expect([followed.status, followed.headers.location, followed.body]).toEqual([302, new URL(target).href, '']);
    const other = await rendered({ content: 'x', link: target, minimize_link: 2 });
    expect(shortLink(other.data['l'])).not.toBe(path);
    expect((await world.client.http.send(path, { method: 'POST' })).status).toBe(405);
    for (const [link, minimize_link] of [
      ['https://example.com/', 0],
      ['https://example.com/', 1],
      ['app://open', 2],
    ] as const) {
      expect((await rendered({ content: 'x', link, minimize_link })).data['l']).toBe(link);
    }
  });

  it('is cut to what Apple takes where that is asked for, else not sent', async () => {
    const long = 'ä"'.repeat(2000);
    const bytes = (): number =>
      Buffer.byteLength(world.simulators.ledger.of('apns').entries({ token: apple, limit: Infinity }).at(-1)!.payload!);
    const cut = await rendered({ devices: ['apple'], content: long, title: 'Title', apns_trim_content: 1 });
    expect(bytes()).toBeLessThanOrEqual(4096);
    expect(bytes()).toBeGreaterThan(4090);
    const { body, title } = cut.ios.aps['alert'] as { body: string; title: string };
    expect([title, body.endsWith('...'), long.startsWith(body.slice(0, -3))]).toEqual(['Title', true, true]);

    const before = pushesTo('apns', apple).length + pushesTo('fcm', google).length;
    const code = await sendOne(application, { devices, content: long });
    await world.settle();
    const { channels } = await funnelOf(code);
    expect(channels[0]!.funnel.find(({ stage }) => stage === 'STAGE_ERRORS')!.errors).toMatchObject([
      {
        category: 'INVALID_CONTENT',
        count: '2',
        codes: [
          { platform: IOS, code: '0', name: 'payload_too_large', count: '1' },
          { platform: ANDROID, code: '0', name: 'payload_too_large', count: '1' },
        ],
      },
    ]);
    expect(pushesTo('apns', apple).length + pushesTo('fcm', google).length).toBe(before);
    expect(await brokenBy(application, code)).toEqual([]);
  });

  it('may be a call', async () => {
    const { ios: payload, android: envelope } = await rendered({
      content: 'Anna calls',
      voip_push: true,
      ios_root_params: { callerName: 'Anna', video: true },
    });
    expect(payload).toMatchObject({ callerName: 'Anna', video: true, aps: { alert: 'Anna calls' } });
    expect(envelope).toMatchObject({ priority: 'HIGH' });
  });
});

// Last, because the clock does not go back.
describe('as time goes by', () => {
  const DAY = 86_400;

  it('what was sent is forgotten step by step', async () => {
    const application = await world.application();
    await world.registerDevices(application, 10, (i) => ({
      hwid: `t-${i}`,
      ...android(fcmToken('accepted', 9500 + i)),
    }));
    const code = await sendOne(application, { content: 'x', link: 'https://example.com/' });
    await world.settle();
    const { message } = payloadOf('fcm', fcmToken('accepted', 9500)) as { message: { data: { l: string; p: string } } };
    const report = { application, hwid: 't-0', hash: message.data.p };
    await world.call('pushStat', report);
    const link = new URL(message.data.l).pathname;
    await world.settle();
    expect(funnelFigures(await funnelOf(code)).rows).toEqual({
      DISPLAYABLE_CONFIRMED: 1,
      DISPLAYABLE_NO_CONFIRMATION: 9,
    });

    // Per-device rows are told apart for 30 days, and reports count in the rows for as long, to the second (R-H17, R-H18).
    const hashOf = (i: number) =>
      world.simulators.ledger.of('fcm').entries({ token: fcmToken('accepted', 9500 + i) })[0]!.hash;
    const secondOf = (time: string | null): number => Date.parse(time!) / 1000;
    const { window_from: from, window_to: now } = await funnelOf(code);
    const end = secondOf(from) + 30 * DAY;
    await world.advance(end - secondOf(now) - 300);
    await world.call('pushStat', { application, hwid: 't-2', hash: hashOf(2) });
    await world.settle();
    expect(funnelFigures(await funnelOf(code)).rows).toMatchObject({ DISPLAYABLE_CONFIRMED: 2 });
    // Mostly still in the hour in which the window ends.
    await world.advance(600);
    await world.call('messageDeliveryEvent', { ...report, hwid: 't-1', hash: hashOf(1) });
    await world.call('pushStat', { application, hwid: 't-3', hash: hashOf(3) });
    await world.settle();
    const month = await funnelOf(code);
    expect(secondOf(month.window_to)).toBe(end);
    expect(month.channels[0]).toMatchObject({
      deliveries_form: 'DELIVERIES_FORM_BASIC',
      basic_form_reason: 'BASIC_FORM_REASON_RETENTION',
    });
    expect(funnelFigures(month)).toMatchObject({
      ...{ rows: { CONFIRMED_BY_DEVICE: 2, NO_CONFIRMATION: 8 }, opened: 2, confirmed: 4 },
    });
    expect(await metricsOf(application, code)).toMatchObject([{ sends: 10, deliveries: 4, opens: 3 }]);

    await world.advance(61 * DAY);
    expect(await funnelOf(code)).toEqual({
      funnel_state: 'FUNNEL_STATE_EXPIRED',
      window_from: null,
      window_to: null,
      channels: [],
    });
    expect(await metricsOf(application, code)).toMatchObject([{ sends: 10 }]);
    expect((await world.client.http.send(link)).status).toBe(302);

    await world.advance(275 * DAY);
    expect((await world.client.http.send(link)).status).toBe(404);
    expect(await listedMessage(world, application, code)).toBeUndefined();
  });
});
