import { beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '@tidings/client';
import { apnsToken, fcmToken } from '@tidings/simulators';
import { clientWith, funnelFigures, listedMessage, type Parameters, type PlatformWorld } from '@tidings/testing';
import { ANDROID, android, CODE, HIDDEN, IOS, ios, type MessagesUnderTest } from './testing/messages.ts';

interface FcmPayload {
  readonly message: { readonly data: Readonly<Record<string, string>> };
}
interface ApnsPayload {
  readonly aps: { readonly alert: unknown; readonly badge?: number };
  readonly [key: string]: unknown;
}

export function notifyFeatures(test: MessagesUnderTest): void {
  const { register, send, funnelOf, brokenBy, pushesTo, payloadOf } = test;
  let world: PlatformWorld;
  let application: string;
  const [phone, tablet, second] = [
    apnsToken('accepted', 32_000),
    fcmToken('accepted', 32_000),
    fcmToken('accepted', 32_001),
  ];
  const foreign = apnsToken('accepted', 32_002);
  const payloadWith = (text: string, more: Parameters = {}): Parameters => ({
    content: { localized_content: { default: { default: { body: text } } } },
    ...more,
  });

  beforeAll(async () => {
    ({ world } = test);
    application = await world.application({ title: 'Notify' });
    await register(application, 'phone', { ...ios(phone), language: 'de', tags: { Level: 1 } });
    await register(application, 'tablet', { ...android(tablet), language: 'fr', userId: 'anna', tags: { Level: 2 } });
    await register(application, 'second', { ...android(second), userId: 'anna', tags: { Level: 3 } });
    await world.call('applicationOpen', { application, hwid: 'second' });
    await register(application, 'foreign', ios(foreign));
  });

  const pushes = (): number[] => [
    pushesTo('apns', phone).length,
    pushesTo('fcm', tablet).length,
    pushesTo('fcm', second).length,
  ];
  const notified = async (
    request: Parameters,
  ): Promise<{ code: string; got: number[]; unknown?: string[] | undefined }> => {
    const before = pushes();
    const { result } = await world.call('notify', request);
    await world.settle();
    const got = pushes().map((count, i) => count - before[i]!);
    return { code: result.message_code, got, unknown: result.unknown_identifiers };
  };
  const refusal = async (request: unknown, client = world.client): Promise<unknown> => {
    const { status, body } = await client.reply('notify', request as Parameters);
    const { code, message, details } = body as { code: number; message: string; details: unknown };
    expect(details).toEqual([]);
    return [status, code, message];
  };

  describe('a message of the newer endpoint', () => {
    it('has the texts of its blocks for the platform and the locale of a device', async () => {
      const localized_content = {
        en: { default: { title: 'News', body: 'Hello' }, android: { body: 'Hello droid', root_params: { a: 1 } } },
        de: { default: { title: 'Neues', body: 'Hallo' }, ios: { body: 'Hallo {{Level}}', badges: '+3', ttl: 60 } },
      };
      Object.assign(localized_content.en, { ios: { title: 'News', body: 'Hello', silent: 1, sound: 'en.caf' } });
      const payload = {
        content: { localized_content },
        custom_data: { article: 17 },
        open_action: { link: { url: 'https://example.com/17' } },
        open_actions: { [IOS]: { remote_page: { url: 'https://example.com/page' } } },
      };
      const segment = { application, platforms: ['IOS', 'ANDROID'], payload, meta_data: { origin: 'shop' } };
      const { code, got } = await notified({ segment });
      expect(code).toMatch(CODE);
      expect(got).toEqual([1, 1, 1]);
      const apns = payloadOf('apns', phone) as unknown as ApnsPayload;
      expect(apns).toMatchObject({
        aps: { alert: 'Hallo 1', badge: 3, sound: 'default' },
        u: '{"article":17}',
        md: { origin: 'shop' },
      });
      const other = payloadOf('apns', foreign) as unknown as ApnsPayload;
      expect(other.aps).toEqual({ 'content-available': 1 });
      expect([apns['l'], apns['r']]).toEqual([undefined, 'https://example.com/page']);
      const { data } = (payloadOf('fcm', tablet) as unknown as FcmPayload).message;
      expect(data).toMatchObject({
        title: 'Hello droid',
        a: '1',
        l: 'https://example.com/17',
        md: '{"origin":"shop"}',
      });
      expect(data['header']).toBeUndefined();
      expect(funnelFigures(await funnelOf(code), ANDROID)).toMatchObject({ eligible: 2, sent: 2 });
      expect(await brokenBy(application, code)).toEqual([]);
      expect(await listedMessage(world, application, code)).toMatchObject({
        source: 'API',
        platforms: ['IOS', 'ANDROID'],
      });
    });

    it('has short links in the actions of platforms, each with the target of the long one', async () => {
      const link = (url: string, shortener = 'BITLY'): Parameters => ({ link: { url, shortener } });
      const payload = payloadWith('x', {
        open_action: link('https://example.com/all'),
        open_actions: { [IOS]: link('https://example.com/ios'), [ANDROID]: link('app://android') },
      });
      await notified({ transactional: { application, payload, hwids: { list: ['phone', 'tablet'] } } });
      const { l } = payloadOf('apns', phone) as unknown as { readonly l: string };
      expect(l).toMatch(/\/s\/[0-9A-Za-z]{8}$/);
      const { status, headers } = await world.client.http.send(new URL(l).pathname);
      expect([status, headers.location]).toEqual([302, 'https://example.com/ios']);
      expect((payloadOf('fcm', tablet) as unknown as FcmPayload).message.data).toMatchObject({ l: 'app://android' });
    });

    it('has the picture of an entry in the block of a device', async () => {
      const block = (name: string): Parameters => ({ body: 'x', inbox: { image_url: `https://example.com/${name}` } });
      const localized_content = {
        default: { default: block('all'), android: block('droid') },
        de: { ios: block('de') },
      };
      const hwids = { list: ['phone', 'tablet', 'foreign'] };
      await notified({ transactional: { application, payload: { content: { localized_content } }, hwids } });
      const names = { phone: 'de', tablet: 'droid', foreign: 'all' };
      for (const [hwid, name] of Object.entries(names)) {
        const userId = hwid === 'tablet' ? 'anna' : hwid;
        const { messages } = await world.call('getInboxMessages', { application, userId, hwid });
        expect([hwid, messages[0]!.image]).toEqual([hwid, `https://example.com/${name}`]);
      }
      const { inbox_params: params } = payloadOf('apns', phone) as { inbox_params?: { image: string } };
      expect(params?.image).toBe('https://example.com/de');
      const { data } = (payloadOf('fcm', tablet) as unknown as FcmPayload).message;
      expect(JSON.parse(data['inbox_params']!)).toMatchObject({ image: 'https://example.com/droid' });
    });

    it('goes to a segment by expression, structure or code', async () => {
      const to = (more: Parameters) => notified({ segment: { application, payload: payloadWith('x'), ...more } });
      expect(await to({ expression: `Tag("${application}", "Level", GTE, 2)` })).toMatchObject({ got: [0, 1, 1] });
      const level = (operator: string, value: unknown) => ({ tag: { application, name: 'Level', operator, value } });
      const group = { operator: 'OR', conditions: [level('EQ', 1), level('IN', [3])] };
      expect(await to({ filter_expression: { conditions: [{ group }] } })).toMatchObject({ got: [1, 0, 1] });
      const negated = { negated: true, conditions: [{ group }, { application: { code: application } }] };
      expect(await to({ filter_expression: negated })).toMatchObject({ got: [0, 1, 0] });
      await world.call('createFilter', {
        name: `Low ${application}`,
        filter_expression: 'T("Level", LTE, 1)',
        application,
      });
      const { filters } = await world.call('listFilters', { application });
      expect(await to({ code: filters.at(-1)!.code })).toMatchObject({ got: [1, 0, 0] });
    });

    it('goes to devices by tags of another application, matched by hwid (R-O5)', async () => {
      await world.call('addTag', { tag: { name: 'Branch', type: 2, application_specific: true } });
      const other = await world.application({ title: 'Sibling' });
      const [siblingToken, strangerToken] = [fcmToken('accepted', 42_000), fcmToken('accepted', 42_001)];
      await register(other, 'phone', { ...android(siblingToken), tags: { Branch: 'north' } });
      await register(other, 'tablet', { device_type: ANDROID, tags: { Branch: 'south' } });
      await register(other, 'stranger', { ...android(strangerToken), tags: { Branch: 'north' } });
      const to = (more: Parameters) => notified({ segment: { application, payload: payloadWith('x'), ...more } });
      const branch = (operator: string, value: string): string => `Tag("${other}", "Branch", ${operator}, "${value}")`;
      const { code, got } = await to({ expression: branch('EQ', 'north') });
      expect(got).toEqual([1, 0, 0]);
      expect(await brokenBy(application, code)).toEqual([]);
      expect(await to({ expression: branch('NOTEQ', 'north') })).toMatchObject({ got: [0, 1, 0] });
      expect(await to({ expression: `A("${application}") \\ ${branch('EQ', 'north')}` })).toMatchObject({
        got: [0, 1, 1],
      });
      expect(await to({ expression: `${branch('EQ', 'south')} * T("Level", EQ, 2)` })).toMatchObject({
        got: [0, 1, 0],
      });
      const tag = { application: other, name: 'Branch', operator: 'IN', value: ['north', 'south'] };
      const conditions = [{ tag }, { tag: { application, name: 'Level', operator: 'EQ', value: 3 } }];
      expect(await to({ filter_expression: { operator: 'OR', conditions } })).toMatchObject({ got: [1, 1, 1] });
      const codeOf = async (name: string, filter_expression: string): Promise<string> => {
        await world.call('createFilter', { name: `${name} ${application}`, filter_expression });
        return (await world.call('listFilters', { application })).filters.at(-1)!.code;
      };
      const north = await codeOf('North', branch('EQ', 'north'));
      const notNorth = await codeOf('Not north', `A("${application}") \\ Segment("${north}")`);
      expect(await to({ code: north })).toMatchObject({ got: [1, 0, 0] });
      expect(await to({ code: notNorth })).toMatchObject({ got: [0, 1, 1] });
      expect([pushesTo('fcm', siblingToken), pushesTo('fcm', strangerToken)]).toEqual([[], []]);
      expect(await world.call('compileFilter', { devices_filter: branch('EQ', 'north') })).toMatchObject({
        devices_count: 2,
      });
      const pushedBy = async (request: Parameters): Promise<number[]> => {
        const before = [...pushes(), pushesTo('fcm', strangerToken).length];
        await world.call('createMessage', { ...request, notifications: [{ content: 'x', filter_code: notNorth }] });
        await world.settle();
        return [...pushes(), pushesTo('fcm', strangerToken).length].map((count, i) => count - before[i]!);
      };
      expect(await pushedBy({ application })).toEqual([0, 1, 1, 0]);
      const { code: group } = await world.call('createGroup', {
        name: `Both ${application}`,
        applications: [application, other],
      });
      expect(await pushedBy({ applications_group: group })).toEqual([1, 1, 1, 0]);
      await world.call('unregisterDevice', { application: other, hwid: 'phone' });
      expect(await to({ code: north })).toMatchObject({ got: [1, 0, 0] });
      await world.call('deleteDevice', { application: other, hwid: 'phone' });
      expect(await to({ code: north })).toMatchObject({ got: [0, 0, 0] });
    });

    it('goes to named recipients in either spelling, is always stored, and lists the unknown ones', async () => {
      const to = (more: Parameters) => notified({ transactional: { application, payload: payloadWith('x'), ...more } });
      const few = await to({ hwids: { list: ['phone', 'foo', tablet] } });
      expect(few).toMatchObject({ got: [1, 0, 0], unknown: ['foo', tablet] });
      expect(await listedMessage(world, application, few.code)).toMatchObject({ status: 'DONE' });
      const camel = await to({ pushTokens: { list: [tablet, 'phone'] }, returnUnknownIdentifiers: false });
      expect(camel).toMatchObject({ got: [0, 1, 0], unknown: undefined });
      expect(await to({ users: { list: ['anna', 'nobody'] } })).toMatchObject({ got: [0, 1, 1], unknown: ['nobody'] });
      const latest = { users: { list: ['anna'] }, use_latest_user_device: true };
      expect(await to(latest)).toMatchObject({ got: [0, 0, 1] });
      expect(await to({ ...latest, platforms: ['IOS'] })).toMatchObject({ got: [0, 0, 0] });
    });

    it('goes to test devices by their own tokens, and is not counted', async () => {
      const tested = await world.application({ title: 'Tested' });
      const tokens = [apnsToken('accepted', 32_100), fcmToken('accepted', 32_101), fcmToken('dead', 32_102)];
      const types = [IOS, ANDROID, ANDROID];
      await register(tested, 'phone', ios(apnsToken('accepted', 32_103)));
      for (const [i, push_token] of tokens.entries()) {
        const device = { push_token, device_type: types[i], name: `${i}`, ...(i === 1 && { language: 'de' }) };
        await world.call('createTestDevice', { auth: world.secrets.api, application: tested, ...device });
      }
      const content = {
        localized_content: { en: { default: { body: 'Test {{Level||0}}' } }, de: { default: { body: 'Probe' } } },
      };
      const to = async (more: Parameters = {}): Promise<string> => {
        const request = { application: tested, payload: { content }, test_devices: true, ...more };
        const { result } = await world.call('notify', { transactional: request });
        await world.settle();
        expect(Object.keys(result)).toEqual(['message_code']);
        return result.message_code;
      };
      const got = () => tokens.map((token, i) => pushesTo(i === 0 ? 'apns' : 'fcm', token).length);
      const stranger = fcmToken('accepted', 32_104);
      const unconfirmed = { push_token: stranger, device_type: ANDROID, name: 'stranger' };
      await world.call('createTestDevice', { application: tested, ...unconfirmed });
      const code = await to();
      expect(code).toMatch(CODE);
      expect(got()).toEqual([1, 1, 1]);
      expect(pushesTo('fcm', stranger)).toEqual([]);
      const { test_devices: shown } = await world.call('listAllTestDevices', { application: tested });
      const { token_hash } = shown.find(({ confirmed }) => !confirmed)!;
      await world.call('confirmTestDevice', { application: tested, token_hash, confirmed: true });
      await to({ platforms: ['ANDROID'] });
      expect(pushesTo('fcm', stranger)).toHaveLength(1);
      expect(got()).toEqual([1, 2, 2]);
      await world.call('deleteTestDevice', { application: tested, token_hash });
      expect(payloadOf('apns', tokens[0]!)).toMatchObject({ aps: { alert: 'Test 0' } });
      const { data } = (payloadOf('fcm', tokens[1]!) as unknown as FcmPayload).message;
      expect(data).toMatchObject({ title: 'Probe' });
      expect(pushesTo('apns', apnsToken('accepted', 32_103))).toEqual([]);
      expect(await to({ platforms: ['ANDROID'], message_type: 'MESSAGE_TYPE_MARKETING' })).toMatch(CODE);
      expect(got()).toEqual([1, 3, 3]);
      await register(tested, 'tester', android(tokens[1]!));
      await world.call('pushStat', { application: tested, hwid: 'tester', hash: data['p'] });
      await world.settle();
      expect(await funnelOf(code)).toMatchObject({ funnel_state: 'FUNNEL_STATE_NO_EVENTS', channels: [] });
      expect(await listedMessage(world, tested, code)).toMatchObject({ status: 'DONE' });
      expect(await brokenBy(tested, code)).toEqual([]);
      expect((await world.call('listTestDevices', { application: tested })).TestDevices).toHaveLength(3);
    });

    it('answers a repeat with the real code, hidden or not', async () => {
      const request = { transactional: { application, payload: payloadWith('x'), hwids: { list: ['phone', 'foo'] } } };
      const first = await notified({ ...request, transaction_id: 'notify' });
      expect(first).toMatchObject({ got: [1, 0, 0], unknown: ['foo'] });
      expect(await notified({ ...request, transactionId: 'notify' })).toEqual({ code: first.code, got: [0, 0, 0] });
      const hidden = { content: 'x', devices: ['phone'], transactionId: 'notify-hidden' };
      expect(await send(application, hidden)).toEqual({ Messages: [HIDDEN] });
      const { code } = await notified({ ...request, transaction_id: 'notify-hidden' });
      expect(code).toMatch(CODE);
    });

    it('waits for its time, and is sent at once if that has passed', async () => {
      const segment = { application, payload: payloadWith('later'), platforms: [ANDROID] };
      expect(
        await notified({ segment: { ...segment, schedule: { at: '2020-01-15T12:00:00.5+01:00' } } }),
      ).toMatchObject({
        got: [0, 1, 1],
      });
      const { code, got } = await notified({ segment: { ...segment, schedule: { after: '60.000000s' } } });
      expect(got).toEqual([0, 0, 0]);
      expect(await listedMessage(world, application, code)).toMatchObject({ status: 'PENDING' });
      await world.advance(61);
      await world.settle();
      expect(await listedMessage(world, application, code)).toMatchObject({ status: 'DONE' });
    });

    it('is refused with a gateway error, and then reaches no device', async () => {
      const before = pushes();
      const payload = payloadWith('x');
      const segment = { application, payload };
      const one = 'exactly one of segment, transactional is required';
      const to = 'segment: at most one of code, expression, filter_expression';
      const refusals: readonly (readonly [unknown, string])[] = [
        [{}, one],
        [{ segment, transactional: { ...segment, hwids: { list: ['phone'] } } }, one],
        [{ segment: { payload } }, 'segment.application is required'],
        [
          { segment: { application } },
          'segment: at least one of payload, email_payload, kakao, whatsapp, line is required',
        ],
        [{ segment: { ...segment, payload: {} } }, 'segment.payload.content: must be set'],
        [{ segment: { ...segment, code: 'x', expression: 'y' } }, to],
        [{ segment: { ...segment, code: '00000-00000' } }, 'segment.code: not found'],
        [{ segment: { ...segment, expression: 'Nix(1)' } }, 'segment.expression: Nix is not supported'],
        [{ segment: { ...segment, expression: 'T("Nix", EQ, 1)' } }, 'segment.expression: unknown tag "Nix"'],
        [{ segment: { ...segment, filter_expression: {} } }, 'segment.filter_expression.conditions is required'],
        [{ segment: { ...segment, campaign: '00000-00000' } }, 'segment.campaign: not found'],
        [{ segment: { ...segment, payload: { preset: '00000-00000' } } }, 'segment.payload.preset: not found'],
        [{ segment: { ...segment, platforms: ['EMAIL'] } }, 'segment.platforms: EMAIL needs email_payload'],
        [{ segment: { ...segment, platforms: ['NIX'] } }, 'segment.platforms[0]: unknown value'],
        [{ segment: { ...segment, send_rate: { value: 99 } } }, 'segment.send_rate.value: must be 100 to 1000'],
        [{ segment: { ...segment, schedule: { at: 'soon' } } }, 'segment.schedule.at: must be a time in RFC 3339'],
        [
          { segment: { ...segment, schedule: { after: '31536001s' } } },
          'segment.schedule.after: at most 365 days ahead',
        ],
        [{ segment: { ...segment, email_payload: {} } }, 'segment.email_payload.body: must be set'],
        [{ segment: { ...segment, kakao: {} } }, 'segment.kakao.template is required'],
        [
          { transactional: segment },
          'transactional: exactly one of hwids, users, push_tokens, test_devices is required',
        ],
        [{ transactional: { ...segment, hwids: { list: [] } } }, 'transactional.hwids.list: must not be empty'],
      ];
      for (const [request, text] of refusals) expect(await refusal(request)).toEqual([400, 3, text]);
      const stranger = new ApiClient(world.url, { api: 'nobody' }, 2);
      const other = await world.application({ title: 'Other', ios: false, android: false });
      const restricted = await clientWith(world, { applications: [other] });
      try {
        expect(await refusal({ segment }, stranger)).toEqual([401, 16, 'missing or invalid token']);
        expect(await refusal({ segment }, restricted)).toEqual([403, 7, 'Token restrictions forbid this operation']);
        const unknown = { segment: { ...segment, application: '00000-00000' } };
        expect(await refusal(unknown)).toEqual([403, 7, 'Access denied or application not found']);
      } finally {
        stranger.close();
        restricted.close();
      }
      await world.settle();
      expect(pushes()).toEqual(before);
    });
  });
}
