import { describe, expect, it } from '@jest/globals';
import type { Content, SendBatch } from '@tidings/events';
import { apnsKind, apnsPayload, parseStatisticsHash } from '@tidings/messaging';
import { content, ios, sendBatch, type TestDevice, texts } from '../../testing/batches.ts';
import { isHashOf, keyOf, rendered } from '../../testing/rendered.ts';

const device: TestDevice = { position: 66, token: 'ab' };
const batchOf = (fields: Partial<Content>, of: Partial<TestDevice> = {}, more: Partial<SendBatch> = {}): SendBatch =>
  sendBatch([{ number: 0, devices: [{ ...device, ...of }] }], {
    content: content(fields),
    campaignId: 961_234n,
    ...more,
  });
const textOf = (fields: Partial<Content>, of: Partial<TestDevice> = {}, language = ''): string => {
  const batch = batchOf(fields, of);
  return rendered(apnsPayload(batch, language, keyOf(batch)), batch);
};
const payloadOf = (...parameters: Parameters<typeof textOf>): Record<string, unknown> =>
  JSON.parse(textOf(...parameters)) as Record<string, unknown>;
const apsOf = (...parameters: Parameters<typeof textOf>): unknown => payloadOf(...parameters)['aps'];

describe('an APNs payload', () => {
  it('of a text alone is as small as can be', () => {
    const { p, ...rest } = payloadOf({});
    expect(rest).toEqual({ aps: { alert: 'Hello', sound: 'default' }, pw_msg: '1' });
    expect(parseStatisticsHash(p as string)).toMatchObject({
      campaignId: 961_234n,
      messageId: 20_012_343_258n,
      code: 'AF0B-EEFE4D5E-E445B2E9',
    });
    expect(isHashOf(p as string, batchOf({}), { seq: 66, platform: 1, check: (1 << 16) | 66 })).toBe(true);
  });

  it('has title, subtitle and body, each in the language that fits', () => {
    const fields = {
      text: texts({ en: 'Hello', de: 'Hallo' }),
      title: texts({ default: 'T', de: 'Titel' }),
      subtitle: texts({ fr: 'Sous' }),
    };
    expect(apsOf(fields, {}, 'de')).toMatchObject({ alert: { title: 'Titel', subtitle: 'Sous', body: 'Hallo' } });
    expect(apsOf(fields, {}, 'it')).toMatchObject({ alert: { title: 'T', subtitle: 'Sous', body: 'Hello' } });
  });

  it('prefers the texts for iOS', () => {
    const fields = {
      title: texts({ default: 'T' }),
      ios: ios({ text: texts({ default: 'iOS' }), title: texts({ en: 'iT' }) }),
    };
    expect(apsOf(fields)).toMatchObject({ alert: { title: 'iT', body: 'iOS' } });
  });

  it('fills in the values of the device', () => {
    const fields = { text: texts({ default: 'Hi {{Name|Uppercase|you}}, {{City||there}}' }), tags: ['Name', 'City'] };
    expect(apsOf(fields, { values: ['anna', ''] })).toMatchObject({ alert: 'Hi ANNA, there' });
  });

  it('carries data byte for byte, and links with encoded values', () => {
    const data = '{"a": 1.0, "b":[ ]}';
    const payload = payloadOf({ data, link: 'https://h/?q={{Name}}', tags: ['Name'] }, { values: ['a b&c'] });
    expect(payload).toMatchObject({ u: data, l: 'https://h/?q=a%20b%26c' });
  });

  it.each([
    ['absent', {}, 'default'],
    ['given', { sound: 'bell.wav' }, 'bell.wav'],
    ['empty', { sound: '' }, undefined],
    ['switched off', { sound: 'bell.wav', soundOff: true }, undefined],
    ['critical', { critical: true }, { critical: 1, name: 'default', volume: 1 }],
    ['critical with a name', { sound: 'x', critical: true }, { critical: 1, name: 'x', volume: 1 }],
  ])('with a sound that is %s', (_, fields, sound) => {
    expect((apsOf({ ios: ios(fields) }) as { sound?: unknown }).sound).toEqual(sound);
  });

  it.each([
    ['5', undefined, 5],
    ['0', undefined, 0],
    ['+2', 7, 7],
    ['-1', 0, 0],
  ])('with badge %s', (value, counted, shown) => {
    const of = counted === undefined ? {} : { badge: counted };
    expect(apsOf({ ios: ios({ badge: value }) }, of)).toMatchObject({ badge: shown });
  });

  it('with category, thread, level and attachment', () => {
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

  it('merges root params, numbers as they were written, but keeps the hash', () => {
    const rootParams = '{"aps":{"alert":"mine","x":1.50},"callId":12345678901234567890,"p":"stolen","n":null}';
    const text = textOf({ ios: ios({ rootParams }) });
    expect(text).toContain('"x":1.50');
    expect(text).toContain('"callId":12345678901234567890');
    const { aps, p, n } = JSON.parse(text) as Record<string, unknown>;
    expect(aps).toMatchObject({ alert: 'mine', sound: 'default' });
    expect(p).not.toBe('stolen');
    expect(n).toBeNull();
  });

  it('that is silent only wakes the app', () => {
    const fields = { ios: ios({ silent: true, badge: '3', sound: 'x' }), data: '{}' };
    expect(apsOf(fields)).toEqual({ 'content-available': 1 });
    expect(apnsKind(content(fields))).toEqual({ pushType: 'background', limit: 4096 });
  });

  it('of data alone only wakes the app, with a badge it is an alert', () => {
    expect(apnsKind(content({ text: undefined, data: '{}' })).pushType).toBe('background');
    const badge = { text: undefined, ios: ios({ badge: '3' }) };
    expect(apnsKind(content(badge)).pushType).toBe('alert');
    expect(apsOf(badge)).toEqual({ badge: 3 });
  });

  it('of a call is a VoIP push and may be larger', () => {
    const fields = { voip: true, ios: ios({ rootParams: '{"callerName":"Anna","video":true}' }) };
    expect(apnsKind(content(fields))).toEqual({ pushType: 'voip', limit: 5120 });
    expect(payloadOf(fields)).toMatchObject({ callerName: 'Anna', video: true });
  });

  it('with call keys, but without voip, is an ordinary push', () => {
    expect(apnsKind(content({ ios: ios({ rootParams: '{"callerName":"Anna"}' }) })).pushType).toBe('alert');
  });

  it('that is too large has its body cut if that is asked for', () => {
    const long = { text: texts({ default: 'ü'.repeat(4000) }), title: texts({ default: 'T' }) };
    const cut = batchOf({ ...long, ios: ios({ trim: true }) });
    const text = rendered(apnsPayload(cut, '', keyOf(cut)), cut, 4096);
    expect(Buffer.byteLength(text)).toBeGreaterThan(4090);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    expect((JSON.parse(text) as { aps: { alert: { body: string } } }).aps.alert.body).toMatch(/^ü+\.\.\.$/);
    const whole = batchOf(long);
    expect(Buffer.byteLength(rendered(apnsPayload(whole, '', keyOf(whole)), whole, 4096))).toBeGreaterThan(8000);
  });
});
