import { describe, expect, it } from '@jest/globals';
import type { Content } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { parseStatisticsHash } from '@tidings/messaging';
import { content, ios, isHashOf, mac, type TestDevice, texts, written } from '../testing/payloads.ts';
import { apns } from './apns-definition.ts';
import { ALERT, type PushKind } from '../channel-definition.ts';
import { apnsPushType } from './apns-payload.ts';

const bodyOf = (fields: Partial<Content>, of: TestDevice = {}): string => written(apns, fields, of).body.toString();
const payloadOf = (...parameters: Parameters<typeof bodyOf>): Record<string, unknown> =>
  JSON.parse(bodyOf(...parameters)) as Record<string, unknown>;
const kindOf = (of: Content, platform: number = Platform.iOS): PushKind => ({ platform, variant: ALERT, content: of });
const pushTypeOf = (of: Content, platform?: number) => apnsPushType(kindOf(of, platform), '');
const apsOf = (...parameters: Parameters<typeof bodyOf>): unknown => payloadOf(...parameters)['aps'];

describe('an APNs payload', () => {
  it('is minimal for a text alone', () => {
    const { p, ...rest } = payloadOf({});
    expect(rest).toEqual({ aps: { alert: 'Hello', sound: 'default' }, pw_msg: '1' });
    expect(parseStatisticsHash(p as string)).toMatchObject({
      campaignId: 961_234n,
      messageId: 20_012_343_258n,
      code: 'AF0B-EEFE4D5E-E445B2E9',
    });
    expect(isHashOf(p, 1)).toBe(true);
  });

  it('has title, subtitle and body, each in the matching language', () => {
    const fields = {
      text: texts({ en: 'Hello', de: 'Hallo' }),
      title: texts({ default: 'T', de: 'Titel' }),
      subtitle: texts({ fr: 'Sous' }),
    };
    expect(apsOf(fields, { language: 'de' })).toMatchObject({
      alert: { title: 'Titel', subtitle: 'Sous', body: 'Hallo' },
    });
    expect(apsOf(fields, { language: 'it' })).toMatchObject({ alert: { title: 'T', subtitle: 'Sous', body: 'Hello' } });
  });

  it('prefers the texts for iOS', () => {
    const fields = {
      title: texts({ default: 'T' }),
      ios: ios({ text: texts({ default: 'iOS' }), title: texts({ en: 'iT' }) }),
    };
    expect(apsOf(fields)).toMatchObject({ alert: { title: 'iT', body: 'iOS' } });
  });

  it('contains the values of the device', () => {
    const fields = { text: texts({ default: 'Hi {{Name|Uppercase|you}}, {{City||there}}' }), tags: ['Name', 'City'] };
    expect(apsOf(fields, { values: ['anna', ''] })).toMatchObject({ alert: 'Hi ANNA, there' });
  });

  it('contains data byte for byte, and links with encoded values', () => {
    const data = '{"a": 1.0, "b":[ ]}';
    const payload = payloadOf({ data, link: 'https://h/?q={{Name}}', tags: ['Name'] }, { values: ['a b&c'] });
    expect(payload).toMatchObject({ u: data, l: 'https://h/?q=a%20b%26c' });
  });

  it('names the pages that a tap opens', () => {
    const pages = { richMedia: 'A1B2C-3D4E5', pageId: 39, remotePage: 'https://h/?q={{Name}}', tags: ['Name'] };
    const { l, h, r, rm } = payloadOf(pages, { values: ['a b'] });
    expect({ l, h, r, rm }).toEqual({ l: undefined, h: '39', r: 'https://h/?q=a%20b', rm: { code: 'A1B2C-3D4E5' } });
  });

  it('contains the deep link of its preset', () => {
    const payload = payloadOf({ deepLinkId: 7n, deepLinkParams: '{"q":1}' });
    expect(payload).toMatchObject({ deep_link_id: '7', deep_link_params: { q: 1 } });
  });

  it.each([
    ['absent', {}, 'default'],
    ['given', { sound: 'bell.wav' }, 'bell.wav'],
    ['empty', { sound: '' }, undefined],
    ['switched off', { sound: 'bell.wav', soundOff: true }, undefined],
    ['critical', { critical: true }, { critical: 1, name: 'default', volume: 1 }],
    ['critical with a name', { sound: 'x', critical: true }, { critical: 1, name: 'x', volume: 1 }],
    ['none, although critical', { soundOff: true, critical: true }, undefined],
    ['an empty one, although critical', { sound: '', critical: true }, undefined],
  ])('has the sound of the content: %s', (_, fields, sound) => {
    expect((apsOf({ ios: ios(fields) }) as { sound?: unknown }).sound).toEqual(sound);
  });

  it.each([
    ['5', undefined, 5],
    ['0', undefined, 0],
    ['+2', 7, 7],
    ['-1', 0, 0],
  ])('shows the badge of %s', (value, counted, shown) => {
    const of = counted === undefined ? {} : { badge: counted };
    expect(apsOf({ ios: ios({ badge: value }) }, of)).toMatchObject({ badge: shown });
  });

  it('contains category, thread, level and attachment', () => {
    const fields = {
      category: '1',
      categoryCustom: 'own',
      threadId: 't',
      interruptionLevel: 'passive',
      attachment: 'https://i/{{x||a}}.png',
    };
    const { aps, attachment } = payloadOf({ ios: ios(fields) });
    expect(aps).toMatchObject({
      category: 'own',
      'thread-id': 't',
      'interruption-level': 'passive',
      'mutable-content': 1,
    });
    expect(attachment).toBe('https://i/a.png');
    expect(apsOf({ ios: ios({ category: '1' }) })).toMatchObject({ category: '1' });
  });

  it.each([
    ['{Picture|Raw|}', 'https://i/a/b.png?c=1&d=%20', 'https://i/a/b.png?c=1&d=%20'],
    ['https://i/{{Picture}}.png', 'Zoë B', 'https://i/Zo%C3%AB%20B.png'],
  ])('keeps the syntax of the URL that a device has for its attachment: %s', (attachment, value, shown) => {
    const fields = { ios: ios({ attachment }), link: '{{Picture}}', tags: ['Picture'] };
    expect(payloadOf(fields, { values: [value] })).toMatchObject({ attachment: shown, l: encodeURIComponent(value) });
  });

  it('merges root params with exact numbers, but keeps the hash', () => {
    const rootParams = '{"aps":{"alert":"mine","x":1.50},"callId":12345678901234567890,"p":"stolen","n":null}';
    const text = bodyOf({ ios: ios({ rootParams }) });
    expect(text).toContain('"x":1.50');
    expect(text).toContain('"callId":12345678901234567890');
    const { aps, p, n } = JSON.parse(text) as Record<string, unknown>;
    expect(aps).toMatchObject({ alert: 'mine', sound: 'default' });
    expect(p).not.toBe('stolen');
    expect(n).toBeNull();
  });

  it('only wakes the app if it is silent', () => {
    const fields = { ios: ios({ silent: true, badge: '3', sound: 'x' }), data: '{}' };
    expect(apsOf(fields)).toEqual({ 'content-available': 1 });
    expect(pushTypeOf(content(fields))).toBe('background');
    expect(written(apns, fields).limit).toBe(4096);
  });

  it('only wakes the app if it has data alone, and is an alert with a badge', () => {
    expect(pushTypeOf(content({ text: undefined, data: '{}' }))).toBe('background');
    const badge = { text: undefined, ios: ios({ badge: '3' }) };
    expect(pushTypeOf(content(badge))).toBe('alert');
    expect(apsOf(badge)).toEqual({ badge: 3 });
  });

  it('is an alert with data if its root params show one: APNs throttles pushes that only wake the app', () => {
    const rootParams = '{"aps":{"alert":{"loc-key":"NEW"},"sound":"default"}}';
    const fields = { text: undefined, data: '{}', ios: ios({ rootParams }) };
    expect(pushTypeOf(content(fields))).toBe('alert');
    expect(apsOf(fields)).toEqual({ alert: { 'loc-key': 'NEW' }, sound: 'default' });
    const waiting = { text: undefined, data: '{}', ios: ios({ rootParams: '{"aps":{"category":"A"}}' }) };
    expect(pushTypeOf(content(waiting))).toBe('background');
  });

  it('is a VoIP push for a call and may be larger', () => {
    const fields = { voip: true, ios: ios({ rootParams: '{"callerName":"Anna","video":true}' }) };
    expect(pushTypeOf(content(fields))).toBe('voip');
    expect(written(apns, fields).limit).toBe(5120);
    expect(payloadOf(fields)).toMatchObject({ callerName: 'Anna', video: true });
  });

  it('is an ordinary push with call keys, but without voip', () => {
    expect(pushTypeOf(content({ ios: ios({ rootParams: '{"callerName":"Anna"}' }) }))).toBe('alert');
  });

  it('has its body truncated on request if it is too large', () => {
    const long = { text: texts({ default: 'ü'.repeat(4000) }), title: texts({ default: 'T' }) };
    const cut = written(apns, { ...long, ios: ios({ trim: true }) });
    expect(cut.body.length).toBeGreaterThan(4090);
    expect(cut.body.length).toBeLessThanOrEqual(4096);
    expect(apns.fits(cut.body, cut.limit)).toBe(true);
    const { aps } = JSON.parse(cut.body.toString()) as { aps: { alert: { body: string } } };
    expect(aps.alert.body).toMatch(/^ü+\.\.\.$/);
    const whole = written(apns, long);
    expect(whole.body.length).toBeGreaterThan(8000);
    expect(apns.fits(whole.body, whole.limit)).toBe(false);
  });
});

describe('an APNs payload for macOS', () => {
  const onMac = { platform: Platform.MacOS };

  it('has the common texts, and its own settings', () => {
    const rootParams = '{"aps":{"x":1},"own":2}';
    const fields = {
      title: texts({ default: 'T' }),
      data: '{}',
      ios: ios({ text: texts({ default: 'iOS' }), badge: '1', sound: 'ios', silent: true, threadId: 't' }),
      mac: mac({ badge: '4', sound: 'Glass', rootParams }),
    };
    const { p, ...payload } = payloadOf(fields, onMac);
    expect(payload).toEqual({
      aps: { alert: { title: 'T', body: 'Hello' }, badge: 4, sound: 'Glass', x: 1 },
      own: 2,
      u: '{}',
      pw_msg: '1',
    });
    expect(isHashOf(p, Platform.MacOS)).toBe(true);
  });

  it('prefers the texts and the action for macOS', () => {
    const own = { text: texts({ default: 'Mac' }), title: texts({ default: '' }), openAction: { link: 'a://b' } };
    const fields = { title: texts({ default: 'T' }), link: 'https://h', mac: mac(own) };
    expect(payloadOf(fields, onMac)).toMatchObject({ aps: { alert: 'Mac' }, l: 'a://b' });
    expect(payloadOf(fields)).toMatchObject({ aps: { alert: { title: 'T', body: 'Hello' } }, l: 'https://h' });
  });

  it('shows the computed badge of the device', () => {
    const fields = { mac: mac({ badge: '+1' }), ios: ios({ badge: '9' }) };
    expect(apns.badgeOf(kindOf(content(fields), Platform.MacOS))).toBe('+1');
    expect(apsOf(fields, { ...onMac, badge: 3 })).toMatchObject({ badge: 3 });
  });

  it('expires after its own TTL', () => {
    const fields = content({ mac: mac({ ttlSeconds: 60 }), ios: ios({ ttlSeconds: 5 }) });
    expect([Platform.MacOS, Platform.iOS].map((platform) => apns.ttlSecondsOf(kindOf(fields, platform)))).toEqual([
      60, 5,
    ]);
    expect(apns.ttlSecondsOf({ ...onMac, variant: ALERT })).toBeUndefined();
  });

  it('is an ordinary push if iOS gets a call', () => {
    const call = content({ voip: true });
    expect(pushTypeOf(call, Platform.MacOS)).toBe('alert');
    expect(written(apns, call, onMac).limit).toBe(4096);
    expect(pushTypeOf(content({ text: undefined, data: '{}' }), Platform.MacOS)).toBe('background');
  });
});
