import { describe, expect, it } from '@jest/globals';
import { ChromeContent, type Content, FirefoxContent } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { fcm } from '../fcm/fcm-definition.ts';
import { isHashOf, type TestDevice, texts, written } from '../testing/payloads.ts';
import { webpush } from './webpush-definition.ts';
import { topicHeader, webPushHeaders } from './webpush-headers.ts';

type Json = Readonly<Record<string, unknown>>;

const chrome = (fields: Partial<ChromeContent>): Partial<Content> => ({ chrome: ChromeContent.fromPartial(fields) });
const firefox = (fields: Partial<FirefoxContent>): Partial<Content> => ({
  firefox: FirefoxContent.fromPartial(fields),
});
const payloadOf = (fields: Partial<Content>, of: TestDevice = {}): Json =>
  JSON.parse(written(webpush, fields, of).body.toString()) as Json;
const inFirefox = (fields: Partial<Content>): Json => payloadOf(fields, { platform: Platform.Firefox });
const data = (fields: Partial<Content>): Json => {
  const { body } = written(fcm, fields, { platform: Platform.Chrome, variant: 'fcm' });
  return (JSON.parse(body.toString()) as { message: Json }).message;
};

describe('the payload of a browser', () => {
  it('has the text, and a tag of its message, for a text alone', () => {
    const { p, ...rest } = payloadOf({});
    expect(rest).toEqual({ body: 'Hello', tag: 'AF0B-EEFE4D5E-E445B2E9' });
    expect(isHashOf(p, Platform.Chrome)).toBe(true);
    expect(isHashOf(inFirefox({})['p'], Platform.Firefox)).toBe(true);
  });

  it('has the keys that the worker reads', () => {
    const fields = { title: texts({ default: 'T' }), data: '{"a": 1}', link: 'https://h/{{Name}}', tags: ['Name'] };
    expect(payloadOf(fields, { values: ['a/b'] })).toMatchObject({ header: 'T', u: '{"a": 1}', l: 'https://h/a%2Fb' });
  });

  it('has the fields of its own browser', () => {
    const fields = {
      title: texts({ default: 'T' }),
      ...chrome({ title: texts({ default: 'C' }), icon: 'https://c/1.png', image: 'https://c/2.png' }),
      ...firefox({ title: texts({ default: 'F' }), icon: 'https://f/1.png' }),
    };
    expect(payloadOf(fields)).toMatchObject({ header: 'C', i: 'https://c/1.png', image: 'https://c/2.png' });
    expect(inFirefox(fields)).toMatchObject({ header: 'F', i: 'https://f/1.png' });
    expect(inFirefox(fields)).not.toHaveProperty('image');
  });

  it('has pictures whose URLs are values of the device', () => {
    const fields = { ...chrome({ icon: '{{Icon}}', image: 'https://c/{{Icon}}' }), tags: ['Icon'] };
    expect(payloadOf(fields, { values: ['https://i/1 2.png?a&b'] })).toMatchObject({
      i: 'https://i/1%202.png?a&b',
      image: 'https://c/https://i/1%202.png?a&b',
    });
  });

  it('prefers the text and the action of its own browser', () => {
    const fields = {
      link: 'https://h',
      ...chrome({ text: texts({ default: 'In Chrome' }), openAction: { link: 'https://h/{{Name}}' } }),
      tags: ['Name'],
    };
    expect(payloadOf(fields, { values: ['a/b'] })).toMatchObject({ body: 'In Chrome', l: 'https://h/a%2Fb' });
    expect(inFirefox(fields)).toMatchObject({ body: 'Hello', l: 'https://h' });
    const own = firefox({ text: texts({ default: 'In Firefox' }), openAction: { richMedia: 'X' } });
    const { l, ...shown } = inFirefox({ link: 'https://h', ...own });
    expect([shown, l]).toMatchObject([{ body: 'In Firefox', rm: '{"code":"X"}' }, undefined]);
  });

  it.each([
    [5, { duration: 5 }],
    [0, { duration: 0, requireInteraction: true }],
  ])('shows the notification for %i seconds, 0 = until a reaction', (durationSeconds, expected) => {
    expect(payloadOf(chrome({ durationSeconds }))).toMatchObject(expected);
  });

  it('has buttons as JSON in a string, for any values of the device', () => {
    const fields = {
      ...chrome({ buttonText1: 'Hi {{Name}}', buttonUrl1: 'https://h/{{Name}}', buttonText2: 'No' }),
      tags: ['Name'],
    };
    const { buttons } = payloadOf(fields, { values: ['a"\\\n\u0001b'] });
    expect(JSON.parse(String(buttons))).toEqual([
      { title: 'Hi a"\\\n\u0001b', url: 'https://h/a%22%5C%0A%01b' },
      { title: 'No' },
    ]);
  });

  it('is marked if nothing is to be shown', () => {
    expect(payloadOf(chrome({ silent: true }))).toMatchObject({ silent: true });
    expect(inFirefox(firefox({ silent: true }))).toMatchObject({ silent: true });
    expect(data(chrome({ silent: true }))['data']).toMatchObject({ silent: 'true' });
    expect(payloadOf(chrome({ silent: false }))).not.toHaveProperty('silent');
  });

  it('ignores the URL of a button without its text', () => {
    expect(payloadOf(chrome({ buttonUrl1: 'https://h/' }))).not.toHaveProperty('buttons');
  });

  it('has room for 3,993 bytes', () => {
    const fits = (count: number): boolean => {
      const { body, limit } = written(webpush, { text: texts({ default: 'x'.repeat(count) }) });
      return webpush.fits(body, limit);
    };
    const rest = written(webpush, { text: texts({ default: 'x' }) }).body.length - 1;
    expect([fits(3993 - rest), fits(3994 - rest)]).toEqual([true, false]);
  });

  it('merges root params, but keeps the hash', () => {
    const rootParams = '{"p":"stolen","renotify":true,"dir":"rtl","n":null,"x":1.50,"tag":"own"}';
    for (const merged of [payloadOf(chrome({ rootParams })), inFirefox(firefox({ rootParams }))]) {
      expect(merged).toMatchObject({ renotify: true, dir: 'rtl', x: 1.5, tag: 'own' });
      expect(merged['p']).not.toBe('stolen');
      expect(merged).not.toHaveProperty('n');
    }
    expect(inFirefox(chrome({ rootParams }))).not.toHaveProperty('renotify');
  });

  it('is all strings if FCM delivers it, with the headers of a push service', () => {
    const browser = { durationSeconds: 0, ttlSeconds: 60, rootParams: '{"renotify":true,"dir":"rtl"}' };
    const message = data({ title: texts({ default: 'T' }), metaData: '{"a":"b"}', ...chrome(browser) });
    expect(message).toMatchObject({
      data: {
        body: 'Hello',
        header: 'T',
        duration: '0',
        requireInteraction: 'true',
        md: '{"a":"b"}',
        renotify: 'true',
        dir: 'rtl',
      },
      webpush: { headers: { ttl: '60', urgency: 'normal' } },
    });
    expect(message).not.toHaveProperty('android');
    expect(Object.values(message['data'] as Json).every((value) => typeof value === 'string')).toBe(true);
  });
});

describe('the headers of a push', () => {
  const push = {
    message: 'AF0B-EEFE4D5E-E445B2E9',
    messageId: 1n,
    campaignId: 0n,
    variant: 'alert',
    bucket: 0,
    applicationTitle: '',
    entry: undefined,
  };
  const headersOf = (content: Content, fields: object = {}): Json => {
    const names = webPushHeaders({ ...push, platform: Platform.Chrome, content, ...fields });
    return Object.fromEntries(Array.from({ length: 2 }, (_, i) => names.slice(2 * i, 2 * i + 2) as [string, string]));
  };
  const content = (fields: Partial<Content>): Content => ({ ...({} as Content), ...fields });

  it.each([
    ['without a TTL', content({}), {}, '2419200'],
    ['of Chrome', content(chrome({ ttlSeconds: 60 })), {}, '60'],
    ['of nothing', content(chrome({ ttlSeconds: 0 })), {}, '0'],
    ['beyond four weeks', content(chrome({ ttlSeconds: 9_999_999 })), {}, '2419200'],
    ['of Chrome in Firefox', content(chrome({ ttlSeconds: 60 })), { platform: Platform.Firefox }, '2419200'],
    ['of Firefox', content(firefox({ ttlSeconds: 60 })), { platform: Platform.Firefox }, '60'],
    ['since the release (R-I11)', content(chrome({ ttlSeconds: 60 })), { ageSeconds: 20 }, '40'],
    ['without a TTL, later', content({}), { ageSeconds: 20 }, '2419200'],
  ])('have the TTL of the content: %s', (_, given, fields, ttl) => {
    expect(headersOf(given, fields)).toMatchObject({ ttl, urgency: 'normal' });
  });

  it('have a topic of the message and its bucket, unless the push service keeps few of them', () => {
    const chromePush = { ...push, platform: Platform.Chrome, content: content({}) };
    const mozilla = 'https://updates.push.services.mozilla.com';
    expect(topicHeader(chromePush, mozilla)).toEqual(['topic', 'AF0B-EEFE4D5E-E445B2E9']);
    expect(topicHeader({ ...chromePush, bucket: 12 }, mozilla)).toEqual(['topic', 'AF0B-EEFE4D5E-E445B2E9_12']);
    expect(topicHeader(chromePush, 'https://fcm.googleapis.com')).toEqual([]);
  });

  it('are urgent for a call', () => {
    expect(headersOf(content({ voip: true }))).toMatchObject({ urgency: 'high' });
  });
});
