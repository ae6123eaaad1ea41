import { describe, expect, it } from '@jest/globals';
import { ChromeContent, type Content, LocaleSettings, MacContent } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { apns } from './apns/apns-definition.ts';
import { apnsPushType } from './apns/apns-payload.ts';
import { ALERT, type ChannelDefinition, type PushKind } from './channel-definition.ts';
import { languagesOf, tagsOf } from './content-texts.ts';
import { fcm } from './fcm/fcm-definition.ts';
import { inLanguage } from './locale-settings.ts';
import { badgeIn, badgeIncrement, badgesOf, changesBadges } from './push-kinds.ts';
import { android, content, ios, type TestDevice, texts, written } from './testing/payloads.ts';
import { webpush } from './webpush/webpush-definition.ts';

const settings = (...each: Partial<LocaleSettings>[]): LocaleSettings[] =>
  each.map((one) => LocaleSettings.fromPartial(one));

const given: Partial<Content> = {
  text: texts({ en: 'Hello', de: 'Hallo' }),
  ios: ios({ title: texts({ en: 'News', de: 'Neues' }), sound: 'base.caf', openAction: { link: 'a://b' } }),
  android: android({ icon: 'base' }),
  settings: settings(
    { language: 'de', ios: ios({ sound: 'de.caf', attachment: 'https://h/{{Picture}}' }) },
    { language: 'en', ios: ios({ sound: 'en.caf' }) },
    { language: 'fr', android: android({ icon: 'fr', rootParams: '{"a":1}' }) },
    { language: 'de', chrome: ChromeContent.fromPartial({ icon: 'https://h/de.png' }) },
  ),
  tags: ['Picture'],
};

const payloadOf = (definition: ChannelDefinition, of: TestDevice) =>
  JSON.parse(written(definition, given, { values: ['x'], ...of }).body.toString()) as Record<string, unknown>;

describe('settings of a locale (R-O4)', () => {
  it('replace those of the platform, beside its texts and its action', () => {
    expect(payloadOf(apns, { language: 'de' })).toMatchObject({
      aps: { alert: { title: 'Neues', body: 'Hallo' }, sound: 'de.caf', 'mutable-content': 1 },
      attachment: 'https://h/x',
      l: 'a://b',
    });
  });

  it.each(['en', 'it', ''])('are those of a locale that has them for the platform: %j', (language) => {
    expect(payloadOf(apns, { language })).toMatchObject({ aps: { sound: 'en.caf' } });
    const { message } = payloadOf(fcm, { language }) as { message: { data: object } };
    expect(message.data).toMatchObject({ i: 'fr', a: '1' });
    expect(payloadOf(webpush, { language })).toMatchObject({ i: 'https://h/de.png' });
  });

  it('do not affect other platforms', () => {
    expect(payloadOf(apns, { language: 'de', platform: Platform.MacOS })).toMatchObject({
      aps: { alert: 'Hallo', sound: 'default' },
    });
  });

  it('have badges, times to live and kinds of push of their own', () => {
    const various = content({
      ios: ios({ badge: '1' }),
      android: android({ ttlSeconds: 5 }),
      settings: settings(
        { language: 'en', ios: ios({ badge: '1', ttlSeconds: 60 }), mac: MacContent.fromPartial({}) },
        { language: 'de', ios: ios({ badge: '+2', ttlSeconds: 3600 }) },
        { language: 'it', ios: ios({ badge: '+2', silent: true }) },
        { language: 'fr', android: android({ badge: '3' }) },
      ),
    });
    const kind = (platform: number): PushKind => ({ platform, variant: ALERT, content: various });
    const phone = kind(Platform.iOS);
    expect(badgesOf(phone)).toEqual(['1', '+2', undefined]);
    expect(['en', 'de', 'it', ''].map((language) => badgeIn(phone, language))).toEqual(['1', '+2', undefined, '1']);
    expect(['en', 'de'].map((language) => badgeIncrement(phone, language))).toEqual([undefined, 2]);
    expect(changesBadges(various)).toBe(true);
    expect(['en', 'de', ''].map((language) => apns.ttlSecondsOf(inLanguage(phone, language)))).toEqual([60, 3600, 60]);
    const pushTypeIn = (language: string) => apnsPushType(inLanguage(phone, language), language);
    expect(['en', 'it', ''].map(pushTypeIn)).toEqual(['alert', 'background', 'alert']);
    // Other platforms have no part in these.
    expect(badgesOf(kind(Platform.MacOS))).toEqual([undefined]);
    expect(badgesOf(kind(Platform.Android))).toEqual(['3']);
    expect(fcm.ttlSecondsOf(inLanguage(kind(Platform.Android), 'de'))).toBeUndefined();
    expect(changesBadges(content({ ios: ios({ badge: '5' }) }))).toBe(true);
    expect(changesBadges(content({ ios: ios({ badge: '+1', silent: true }) }))).toBe(false);
  });

  it('have languages and tags as texts have', () => {
    expect([...languagesOf(content(given))].toSorted()).toEqual(['de', 'en', 'fr']);
    expect(tagsOf(content(given))).toEqual(['Picture']);
  });
});
