import { describe, expect, it } from '@jest/globals';
import {
  ChromeContent,
  Content,
  EmailContent,
  FirefoxContent,
  KakaoContent,
  LineContent,
  SafariContent,
  SmsContent,
  WhatsAppContent,
  WindowsContent,
} from '@tidings/events';
import { type Channel, isRegistrable, Platform, type PlatformCode, platformCodes } from '@tidings/kernel';
import { LIVE_UPDATE } from './apns/live-activity.ts';
import { ALERT, type ChannelDefinition } from './channel-definition.ts';
import { channelServing, definitions } from './channels.ts';
import { badgeIn, hasContent } from './push-kinds.ts';
import { android, ios, mac, texts, written } from './testing/payloads.ts';
import { BY_FCM } from './webpush/webpush-payload.ts';
import { wnsHeaders } from './wns/wns-payload.ts';

const hello = texts({ default: 'Hello' });
const contentOf = (fields: Partial<Content>): Content => Content.fromPartial(fields);
const kindOf = (platform: number, fields: Partial<Content>, variant = ALERT) => ({
  platform,
  variant,
  content: contentOf(fields),
});
const all = platformCodes.filter(isRegistrable);
const reached = (fields: Partial<Content>): PlatformCode[] =>
  all.filter((platform) => hasContent(kindOf(platform, fields), ''));

const { iOS, Android, Huawei, Amazon, MacOS, Windows, Safari, Chrome, Firefox } = Platform;
const apps: readonly PlatformCode[] = [iOS, Android, Huawei, Amazon, MacOS, Windows, Chrome, Firefox];

describe('a push (R-I22)', () => {
  it('is for every platform with a common text', () => {
    expect(reached({ text: hello })).toEqual(all.filter((platform) => platform !== Platform.Kakao));
  });

  it.each<[PlatformCode, Partial<Content>]>([
    [iOS, { ios: ios({ text: hello, badge: '+1' }) }],
    [Android, { android: android({ text: hello }) }],
    [Huawei, { huawei: android({ title: hello }) }],
    [Amazon, { amazon: android({ title: hello }) }],
    [MacOS, { mac: mac({ subtitle: hello }) }],
    [Windows, { windows: WindowsContent.fromPartial({ notification: texts({ default: 'PGE+' }) }) }],
    [Chrome, { chrome: ChromeContent.fromPartial({ title: hello }) }],
    [Firefox, { firefox: FirefoxContent.fromPartial({ text: hello }) }],
    [Safari, { safari: SafariContent.fromPartial({ title: hello }) }],
    [Platform.Sms, { sms: SmsContent.fromPartial({ fileUrls: ['https://h/1.png'] }) }],
    [Platform.WhatsApp, { whatsApp: WhatsAppContent.fromPartial({ template: 'welcome' }) }],
    [Platform.Line, { line: LineContent.fromPartial({ text: hello }) }],
    [Platform.Email, { email: EmailContent.fromPartial({ body: hello }) }],
    [Platform.Kakao, { kakao: KakaoContent.fromPartial({ template: 'welcome' }) }],
  ])('is for no other platform than %i if it has content of that alone', (platform, fields) => {
    expect(reached(fields)).toEqual([platform]);
  });

  it('is not for a device without content for it', () => {
    const badge = { ios: ios({ badge: '+1', sound: 'a.caf' }), android: android({ badge: '1', icon: 'i' }) };
    expect(reached({ ...badge, link: 'https://h/' })).toEqual([]);
    expect(badgeIn(kindOf(iOS, badge), '')).toBeUndefined();
    const some = kindOf(iOS, { text: texts({ en: 'Hello', de: '' }) });
    expect(['en', 'de', 'fr'].map((language) => hasContent(some, language))).toEqual([true, false, true]);
  });

  it('is for every app if it has data or a page alone', () => {
    const fields: Partial<Content>[] = [{ data: '{}' }, { richMedia: 'X' }, { pageId: 1 }, { remotePage: 'https://h' }];
    for (const each of fields) {
      expect(reached(each)).toEqual(all.filter((platform) => apps.includes(platform)));
      expect(hasContent(kindOf(Chrome, each, BY_FCM), '')).toBe(true);
    }
  });

  it('is for the platform of its root params or its silence', () => {
    const rootParams = '{"a":1}';
    const roots = { ios: ios({ rootParams }), mac: mac({ rootParams }), amazon: android({ rootParams }) };
    expect(new Set(reached(roots))).toEqual(new Set([iOS, MacOS, Amazon]));
    expect(reached({ ios: ios({ rootParams: '{}' }) })).toEqual([]);
    expect(new Set(reached({ ios: ios({ silent: true }), huawei: android({ silent: true }) }))).toEqual(
      new Set([iOS, Huawei]),
    );
  });

  it('needs no text for a call or a live activity', () => {
    expect(new Set(reached({ voip: true }))).toEqual(new Set([iOS, Android, Huawei, Amazon]));
    expect(hasContent(kindOf(iOS, {}, LIVE_UPDATE), '')).toBe(true);
  });
});

describe('a push with data alone (R-I22)', () => {
  const payloadOf = (platform: number, fields: Partial<Content>, variant = ALERT): Record<string, unknown> => {
    const definition: ChannelDefinition = definitions[channelServing({ platform, variant }) as Channel];
    const { body } = written(definition, { text: undefined, ...fields }, { platform, variant });
    return JSON.parse(body.toString()) as Record<string, unknown>;
  };
  interface Data {
    readonly data: Readonly<Record<string, unknown>>;
  }
  const dataOf = (platform: number, fields: Partial<Content>, variant = ALERT): Readonly<Record<string, unknown>> => {
    const body = payloadOf(platform, fields, variant);
    if (platform === Amazon) return (body as unknown as Data).data;
    const { data } = body['message'] as { readonly data: unknown };
    return (platform === Huawei ? JSON.parse(data as string) : data) as Data['data'];
  };
  const data = '{"a":1}';

  it.each([Android, Huawei, Amazon])('is silent on platform %i', (platform) => {
    expect(dataOf(platform, { data })).toMatchObject({ u: data, silent: '1', pw_silent: '1' });
    for (const shown of [{ text: hello }, { title: hello }, { voip: true }, { richMedia: 'X' }]) {
      expect(dataOf(platform, { data, ...shown })).not.toHaveProperty('silent');
    }
  });

  it('is silent with root params alone, unless these are texts', () => {
    expect(dataOf(Android, { android: android({ rootParams: '{"a":1}' }) })).toMatchObject({ a: '1', silent: '1' });
    expect(dataOf(Android, { android: android({ rootParams: '{"title":"T"}' }) })).not.toHaveProperty('silent');
    const chrome = ChromeContent.fromPartial({ rootParams: '{"header":"T"}' });
    expect(payloadOf(Chrome, { data, chrome })).not.toHaveProperty('silent');
  });

  it('is silent in browsers', () => {
    expect(payloadOf(Chrome, { data })).toMatchObject({ u: data, silent: true });
    expect(payloadOf(Firefox, { data })).toMatchObject({ u: data, silent: true });
    expect(dataOf(Chrome, { data }, BY_FCM)).toMatchObject({ u: data, silent: 'true' });
    expect(payloadOf(Chrome, { data, richMedia: 'X' })).not.toHaveProperty('silent');
  });

  it('is in the background of apps of Apple, and raw on Windows', () => {
    for (const platform of [iOS, MacOS]) {
      expect(payloadOf(platform, { data })).toMatchObject({ u: data, aps: { 'content-available': 1 } });
    }
    expect(payloadOf(Windows, { data })).toMatchObject({ u: data });
    const push = { message: 'M', bucket: 0, messageId: 1n, campaignId: 0n, applicationTitle: '', entry: undefined };
    expect(wnsHeaders({ ...push, ...kindOf(Windows, { data }) }, '')).toContain('wns/raw');
  });
});

describe('the badge after a push (R-C9)', () => {
  const badge = (platform: number, fields: Partial<Content>) =>
    badgeIn(kindOf(platform, { text: hello, ...fields }), '');

  it('does not exist for a silent push', () => {
    expect(badge(iOS, { ios: ios({ badge: '+1', silent: true }) })).toBeUndefined();
    expect(badge(iOS, { text: undefined, data: '{}', ios: ios({ silent: true }) })).toBeUndefined();
    expect(badge(iOS, { ios: ios({ badge: '+1' }) })).toBe('+1');
  });

  it('is that of root params, which the device shows', () => {
    const rootParams = '{"aps":{"badge":7}}';
    expect(badge(iOS, { ios: ios({ badge: '+1', rootParams }) })).toBe('7');
    expect(badge(iOS, { ios: ios({ silent: true, rootParams }) })).toBe('7');
    expect(badge(iOS, { ios: ios({ badge: '+1', rootParams: '{"aps":{"badge":"x"}}' }) })).toBeUndefined();
    expect(badge(Android, { android: android({ badge: '+1', rootParams: '{"pw_badges":"7"}' }) })).toBe('7');
    expect(badge(Amazon, { amazon: android({ badge: '+1', rootParams: '{"a":1}' }) })).toBe('+1');
  });
});
