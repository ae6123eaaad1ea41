import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseStatisticsHash } from '@tidings/messaging';
import { apnsToken, fcmToken, generateApnsKey } from '@tidings/simulators';
import { funnelFigures, listedMessage, type Parameters, type PlatformWorld } from '@tidings/testing';
import { IOS, ANDROID, MAC, android, ios, type MessagesUnderTest } from './testing/messages.ts';

export function payloadFeatures(test: MessagesUnderTest): void {
  const { sendOne, register, funnelOf, brokenBy, pushesTo, payloadOf, payloadsOf, applicationInDebug } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
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

    it('has the keys that clients read, and no others', async () => {
      const plain = await rendered({ content: 'Hello' });
      expect(plain.ios).toEqual({ aps: { alert: 'Hello', sound: 'default' }, pw_msg: '1', p: hash });
      expect(plain.data).toEqual({ title: 'Hello', pw_msg: '1', p: hash, pw_msg_tag: plain.code });
      expect([plain.token, plain.android]).toEqual([google, {}]);
      for (const p of [plain.ios['p'], plain.data['p']]) {
        expect(parseStatisticsHash(String(p))).toMatchObject({ code: plain.code, campaignId: 0n });
      }
      expect((await listedMessage(world, application, plain.code))!.id).toBe(
        Number(parseStatisticsHash(plain.data['p']!)!.messageId),
      );
    });

    it('has all fields of iOS', async () => {
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

    it('has all fields of Android, as strings', async () => {
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
      expect(envelope).toEqual({ priority: 'HIGH', ttl: '60s' });
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

    it('may have no sound', async () => {
      const { ios: payload, data } = await rendered({ content: 'x', ios_sound_off: true, android_sound_off: true });
      expect(payload.aps).toEqual({ alert: 'x' });
      expect(data['s']).toBe('');
    });

    it('counts badges from the last one of each device', async () => {
      const badges = async (badge: string): Promise<unknown[]> => {
        const { ios: payload, data } = await rendered({ content: 'x', ios_badges: badge, android_badges: badge });
        return [payload.aps['badge'], data['pw_badges']];
      };
      expect(await badges('3')).toEqual([3, '3']);
      expect(await badges('+1')).toEqual([4, '4']);
      expect(await badges('+2')).toEqual([6, '6']);
      expect(await badges('-10')).toEqual([0, '0']);
      expect(await badges('+1')).toEqual([1, '1']);
      const dead = apnsToken('dead', 9001);
      await register(application, 'dead', ios(dead));
      await sendOne(application, { content: 'x', devices: ['dead'], ios_badges: '+5' });
      await world.settle();
      await register(application, 'dead', ios(apnsToken('accepted', 9002)));
      await sendOne(application, { content: 'x', devices: ['dead'], ios_badges: '+1' });
      await world.settle();
      expect(payloadOf('apns', apnsToken('accepted', 9002))['aps']).toMatchObject({ badge: 1 });
    });

    it('counts badges of consecutive messages from each other, in the order of their plans', async () => {
      const [apnsOf, fcmOf] = [apnsToken('accepted', 9003), fcmToken('accepted', 9003)];
      await register(application, 'chat', ios(apnsOf));
      await register(application, 'chat on android', android(fcmOf));
      const sendAll = async (...badges: readonly string[]): Promise<void> => {
        const hwids = ['chat', 'chat on android'];
        await Promise.all(
          badges.map((badge) =>
            sendOne(application, { content: 'x', devices: hwids, ios_badges: badge, android_badges: badge }),
          ),
        );
        await world.settle();
      };
      const shown = (provider: 'apns' | 'fcm', token: string): number[] =>
        payloadsOf(provider, token)
          .map(({ aps, message }) => Number((aps ?? message?.data)![aps ? 'badge' : 'pw_badges']))
          .toSorted((a, b) => a - b);
      await sendAll(...Array.from({ length: 8 }, () => '+1'));
      expect([shown('apns', apnsOf), shown('fcm', fcmOf)]).toEqual([
        [1, 2, 3, 4, 5, 6, 7, 8],
        [1, 2, 3, 4, 5, 6, 7, 8],
      ]);
      await world.call('setBadge', { application, hwid: 'chat', badge: 0 });
      await sendAll('+100');
      expect([shown('apns', apnsOf).at(-1), shown('fcm', fcmOf).at(-1)]).toEqual([100, 108]);
    });

    it('does not change the badge if a push to iOS is silent', async () => {
      const token = apnsToken('accepted', 9004);
      await register(application, 'silent', ios(token));
      await sendOne(application, { content: '', devices: ['silent'], ios_silent: 1, ios_badges: '+7' });
      await world.settle();
      await sendOne(application, { content: 'x', devices: ['silent'], ios_badges: '+1' });
      await world.settle();
      expect(payloadOf('apns', token)['aps']).toMatchObject({ badge: 1 });
    });

    it('contains values of the device in every format', async () => {
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

    it('contains values of the device in links, in encoded form', async () => {
      const { ios: payload, data } = await rendered({
        content: 'x',
        link: 'app://x/{{Name}}?l={{Level}}',
        minimize_link: 0,
      });
      const link = 'app://x/Zo%C3%AB%20%22Z%22?l=7';
      expect([payload['l'], data['l']]).toEqual([link, link]);
    });

    it('has short links, each with the target of the long one', async () => {
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

    it('names the pages that a tap opens, those of a preset too', async () => {
      const pages = { rich_media: 'A1B2C-3D4E5', page_id: 39, remote_page: 'https://example.com/{{Level}}' };
      const all = await rendered(pages);
      expect(all.ios).toMatchObject({ rm: { code: 'A1B2C-3D4E5' }, h: '39', r: 'https://example.com/7' });
      expect(all.data).toMatchObject({ rm: '{"code":"A1B2C-3D4E5"}', h: '39', r: 'https://example.com/7' });
      const former = await rendered({ content: 'x', rich_page_id: '42' });
      expect([former.ios['h'], former.data['h']]).toEqual(['42', '42']);

      await world.call('createPreset', {
        name: 'Rich',
        applicationCode: application,
        segmentation: { platforms: [IOS, ANDROID] },
        content: { message: 'Look', action: { type: 'richMedia', options: { richMediaCode: 'F1B2C-3D4E5' } } },
      });
      const { presets } = await world.call('listPresets', { application });
      const preset = presets.find(({ name }) => name === 'Rich')!.code;
      const { properties } = (await world.call('getPreset', { preset_code: preset })).preset;
      expect(properties).toMatchObject({ rich_media: 'F1B2C-3D4E5' });
      const rich = await rendered({ preset });
      expect([rich.data['title'], rich.data['rm'], rich.ios['rm']]).toEqual([
        ...['Look', '{"code":"F1B2C-3D4E5"}', { code: 'F1B2C-3D4E5' }],
      ]);
      const own = await rendered({ preset, ...pages });
      expect([own.data['title'], own.ios['rm']]).toEqual(['Look', { code: 'A1B2C-3D4E5' }]);
    });

    it('is truncated to the limit of Apple on request, else not sent', async () => {
      const long = 'ä"'.repeat(2000);
      const bytes = (): number =>
        Buffer.byteLength(
          world.simulators.ledger.of('apns').entries({ token: apple, limit: Infinity }).at(-1)!.payload!,
        );
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

    it('has all fields of macOS, by a credential of its own', async () => {
      const key = generateApnsKey();
      world.simulators.keys.register({ apns: [{ keyId: key.keyId, teamId: key.teamId, publicKey: key.publicKey }] });
      await world.call('configureApplication', {
        application,
        device_type: MAC,
        macos_key_management_type: 'manual',
        macos_gateway: 1,
        macos_key_file: Buffer.from(key.privateKey).toString('base64'),
        macos_bundle_id: 'com.example.mac',
        macos_key_id: key.keyId,
        macos_team_id: key.teamId,
      });
      const mac = apnsToken('accepted', 9003);
      await register(application, 'mac', { device_type: MAC, push_token: mac.toUpperCase() });
      const shown = async (notification: Parameters) => {
        const code = await sendOne(application, { devices: ['mac'], content: 'Hello', title: 'T', ...notification });
        await world.settle();
        return { code, payload: payloadOf('apns', mac) };
      };
      const badged = { ios_badges: 9, mac_badges: 3, mac_sound: 'Glass', mac_root_params: { aps: { x: 1 }, own: 2 } };
      const { payload, code } = await shown({ ...badged, data: { k: 1 }, mac_ttl: 60 });
      expect(payload).toEqual({
        aps: { alert: { title: 'T', body: 'Hello' }, badge: 3, sound: 'Glass', x: 1 },
        own: 2,
        u: '{"k":1}',
        pw_msg: '1',
        p: hash,
      });
      expect((await shown({ mac_badges: '+2' })).payload['aps']).toMatchObject({ badge: 5 });
      await world.call('pushStat', { application, hwid: 'mac', hash: payload['p'] });
      await world.settle();
      const figures = funnelFigures(await funnelOf(code), MAC, 'OTHER');
      expect(figures).toMatchObject({ audience: 1, eligible: 1, sent: 1, failed: 0, opened: 1 });
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

  // Last, because the clock cannot go back.
}
