import { describe, expect, it } from '@jest/globals';
import { type Content, LocaleSettings, WindowsContent } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import type { Push } from '../channel-definition.ts';
import { content, isHashOf, type TestDevice, texts, written } from '../testing/payloads.ts';
import { wns } from './wns-definition.ts';
import { wnsHeaders } from './wns-payload.ts';

const windows = (fields: Partial<WindowsContent>): Partial<Content> => ({
  windows: WindowsContent.fromPartial(fields),
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const bodyOf = (fields: Partial<Content>, of: TestDevice = {}): string => written(wns, fields, of).body.toString();

const TOAST = /^<toast launch="([^"]*)"><visual><binding template="ToastGeneric">(.*)<\/binding><\/visual><\/toast>$/su;
const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

function toastOf(...parameters: Parameters<typeof bodyOf>) {
  const [, launch = '', lines = ''] = TOAST.exec(bodyOf(...parameters))!;
  return { launch: JSON.parse(unescaped(launch)) as Record<string, unknown>, lines };
}

const headersOf = (fields: Partial<Content>, language = '', ageSeconds = 0): Record<string, string> => {
  const push = { platform: Platform.Windows, variant: 'alert', content: content(fields), ageSeconds } as Push;
  const list = wnsHeaders(push, language);
  return Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]!]] : [])));
};

describe('a notification of Windows', () => {
  it('is a toast, whose argument has the hash, for a text alone', () => {
    const { launch, lines } = toastOf({});
    const { p, ...rest } = launch;
    expect([lines, rest]).toEqual(['<text>Hello</text>', {}]);
    expect(isHashOf(p, Platform.Windows)).toBe(true);
  });

  it('has title and text, its own before the common ones, with placeholders', () => {
    const fields = { title: texts({ default: 'T & {{Name}}' }), tags: ['Name'] };
    const device = { values: ['<"Anna\u0001\n>'] };
    expect(toastOf(fields, device).lines).toBe('<text>T &amp; &lt;&quot;Anna\n&gt;</text><text>Hello</text>');
    const own = windows({ title: texts({ default: 'Own' }), text: texts({ en: 'In {{Name|Uppercase}}', de: 'A' }) });
    expect(toastOf({ ...fields, ...own }, { values: ['windows'], language: 'en' }).lines).toBe(
      '<text>Own</text><text>In WINDOWS</text>',
    );
  });

  it('has the keys that the app reads as argument of the toast', () => {
    const fields = { data: '{"a": "<1>"}', link: 'https://h/?x=1&n={{Name}}', tags: ['Name'], pageId: 7 };
    expect(toastOf(fields, { values: ["a/'b&"] }).launch).toMatchObject({
      u: '{"a": "<1>"}',
      l: "https://h/?x=1&n=a%2F'b%26",
      h: '7',
    });
    const own = windows({ openAction: { richMedia: 'X' } });
    expect(toastOf({ ...fields, ...own }, { values: ['a'] }).launch).toMatchObject({ rm: '{"code":"X"}' });
  });

  it('is raw data for the app without any text', () => {
    const fields = { text: undefined, data: '[1]' };
    expect(JSON.parse(bodyOf(fields))).toMatchObject({ u: '[1]' });
    expect(headersOf(fields)).toMatchObject({ 'x-wns-type': 'wns/raw', 'content-type': 'application/octet-stream' });
  });

  it('is that of the caller in the matching language, byte for byte', () => {
    const bytes = Buffer.from([0, 255, 0xc3, 10]);
    const notification = texts({ en: base64('<tile>{{Name}}</tile>'), de: bytes.toString('base64') });
    const fields = { ...windows({ notification, type: 'Raw' }), tags: [] };
    expect(bodyOf(fields, { language: 'en' })).toBe('<tile>{{Name}}</tile>');
    expect(written(wns, fields, { language: 'de' }).body).toEqual(bytes);
    expect(headersOf(fields, 'de')).toMatchObject({ 'x-wns-type': 'wns/raw' });
  });

  it.each([
    [undefined, 'wns/toast', 'text/xml'],
    ['Tile', 'wns/tile', 'text/xml'],
    ['Badge', 'wns/badge', 'text/xml'],
    ['Raw', 'wns/raw', 'application/octet-stream'],
  ])('has for the type %s the header %s', (type, header, mediaType) => {
    const fields = windows({ notification: texts({ default: base64('x') }), type });
    expect(headersOf(fields)).toEqual({
      'x-wns-type': header,
      'content-type': mediaType,
      'x-wns-requestforstatus': 'true',
    });
  });

  it('has the given tag, time to live and cache policy', () => {
    expect(headersOf(windows({ tag: 'news1', ttlSeconds: 60, cache: false, type: 'Tile' }))).toEqual({
      'x-wns-type': 'wns/toast',
      'content-type': 'text/xml',
      'x-wns-requestforstatus': 'true',
      'x-wns-tag': 'news1',
      'x-wns-ttl': '60',
      'x-wns-cache-policy': 'no-cache',
    });
    expect(headersOf(windows({ cache: true }))).toMatchObject({ 'x-wns-cache-policy': 'cache' });
    // Times to live count from the release (R-I11).
    expect(headersOf(windows({ ttlSeconds: 60 }), '', 20)).toMatchObject({ 'x-wns-ttl': '40' });
  });

  it('has the settings of its locale (R-O4)', () => {
    const settings = [
      { language: 'en', windows: { tag: 'en' } },
      { language: 'de', windows: { type: 'Badge', notification: texts({ default: base64('<badge/>') }) } },
    ].map((each) => LocaleSettings.fromPartial(each));
    expect(headersOf({ settings }, 'en')).toMatchObject({ 'x-wns-tag': 'en', 'x-wns-type': 'wns/toast' });
    expect(headersOf({ settings }, 'de')).toMatchObject({ 'x-wns-type': 'wns/badge' });
    expect(bodyOf({ settings }, { language: 'de' })).toBe('<badge/>');
  });

  it('has at most 5,000 bytes (R-I23)', () => {
    const fits = (count: number): boolean => {
      const notification = texts({ default: Buffer.alloc(count).toString('base64') });
      const { body, limit } = written(wns, windows({ notification }));
      return wns.fits(body, limit);
    };
    expect([fits(5000), fits(5001)]).toEqual([true, false]);
  });
});
