import { describe, expect, it } from '@jest/globals';
import { type Content, LocaleSettings, SafariContent } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { content, ios, isHashOf, type TestDevice, texts, written } from '../testing/payloads.ts';
import { apns } from './apns-definition.ts';
import { apnsPushType } from './apns-payload.ts';
import { ALERT } from '../channel-definition.ts';

const safari = (fields: Partial<SafariContent> = {}): SafariContent => SafariContent.fromPartial(fields);
const payloadOf = (fields: Partial<Content>, of: TestDevice = {}): Record<string, unknown> =>
  JSON.parse(written(apns, fields, { ...of, platform: Platform.Safari }).body.toString()) as Record<string, unknown>;
const apsOf = (...parameters: Parameters<typeof payloadOf>): unknown => payloadOf(...parameters)['aps'];
const kindOf = (of: Content) => ({ platform: Platform.Safari, variant: ALERT, content: of });

describe('an APNs payload for Safari (R-I22)', () => {
  it('has only title, body, button and the arguments of the URL, beside the hash', () => {
    const fields = {
      title: texts({ default: 'common' }),
      data: '{}',
      link: 'https://h/',
      metaData: '{}',
      ios: ios({ text: texts({ default: 'iOS' }), badge: '1', rootParams: '{"a":1}' }),
      safari: safari({ title: texts({ default: 'T', de: 'Titel' }), action: 'Read', urlArgs: ['news', '7'] }),
    };
    const { p, ...payload } = payloadOf(fields, { language: 'de' });
    expect(payload).toEqual({
      aps: { alert: { title: 'Titel', body: 'Hello', action: 'Read' }, 'url-args': ['news', '7'] },
    });
    expect(isHashOf(p, Platform.Safari)).toBe(true);
  });

  it('has the title of the message, else that of the application, which is no template', () => {
    expect(apsOf({ title: texts({ default: 'T' }) })).toEqual({ alert: { title: 'T', body: 'Hello' }, 'url-args': [] });
    const untitled = { title: texts({ default: '' }), text: undefined, data: '{}' };
    expect(apsOf(untitled)).toEqual({ alert: { title: '{{Example}}', body: '' }, 'url-args': [] });
  });

  it('has a text and settings of its own, by language (R-O4)', () => {
    const fields = {
      safari: safari({ title: texts({ default: 'T' }), text: texts({ default: 'In Safari' }), urlArgs: ['en'] }),
      settings: [LocaleSettings.fromPartial({ language: 'de', safari: safari({ action: 'Lesen', urlArgs: ['de'] }) })],
    };
    expect(payloadOf(fields, { language: 'de' })).toMatchObject({
      aps: { alert: { title: 'T', body: 'In Safari', action: 'Lesen' }, 'url-args': ['de'] },
    });
  });

  it('contains the values of the device, encoded in the arguments', () => {
    const fields = { safari: safari({ action: 'Go, {{Name}}', urlArgs: ['{{Name}}'] }), tags: ['Name'] };
    expect(apsOf(fields, { values: ['a b"c'] })).toMatchObject({
      alert: { action: 'Go, a b"c' },
      'url-args': ['a%20b%22c'],
    });
  });

  it('is always shown, without a badge, and has its own TTL', () => {
    const silent = content({ text: undefined, data: '{}', voip: true, ios: ios({ badge: '+1', ttlSeconds: 5 }) });
    expect(apnsPushType(kindOf(silent), '')).toBe('alert');
    expect(apns.badgeOf(kindOf(silent))).toBeUndefined();
    expect(apns.ttlSecondsOf(kindOf(silent))).toBeUndefined();
    expect(apns.ttlSecondsOf(kindOf(content({ safari: safari({ ttlSeconds: 60 }) })))).toBe(60);
  });
});
