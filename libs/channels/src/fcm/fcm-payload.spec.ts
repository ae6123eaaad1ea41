import { describe, expect, it } from '@jest/globals';
import type { Content } from '@tidings/events';
import { android, isHashOf, type TestDevice, texts, TOKEN, written } from '../testing/payloads.ts';
import { fcm } from './fcm-definition.ts';

interface Message {
  readonly token: string;
  readonly android: Record<string, unknown>;
  readonly data: Record<string, string>;
}

const messageIn = (body: Buffer): Message => (JSON.parse(body.toString()) as { message: Message }).message;
const messageOf = (fields: Partial<Content>, of: TestDevice = {}): Message => messageIn(written(fcm, fields, of).body);
const dataOf = (...parameters: Parameters<typeof messageOf>): Record<string, string> => messageOf(...parameters).data;

describe('an FCM request', () => {
  it('is a data message with a tag of its message, and no collapse key, for a text alone', () => {
    const message = messageOf({});
    const { p, ...data } = message.data;
    expect(message.token).toBe(TOKEN);
    expect(message.android).toEqual({});
    expect(data).toEqual({ title: 'Hello', pw_msg: '1', pw_msg_tag: 'AF0B-EEFE4D5E-E445B2E9' });
    expect(isHashOf(p, 3)).toBe(true);
  });

  it('has the given collapse key, unchanged', () => {
    const withKey = (key: string) => messageOf({ android: android({ rootParams: `{"collapse_key":${key}}` }) });
    expect(withKey('"score"').android).toEqual({ collapse_key: 'score' });
    expect(withKey('7').android).toEqual({});
  });

  it('has the deep link of its preset in strings', () => {
    const data = dataOf({ deepLinkId: 7n, deepLinkParams: '{"q":1}' });
    expect(data).toMatchObject({ deep_link_id: '7', deep_link_params: '{"q":1}' });
  });

  it('has the text as title and the title as header, in the matching language', () => {
    const fields = { text: texts({ en: 'Hello', de: 'Hallo' }), title: texts({ default: 'T' }) };
    expect(dataOf(fields, { language: 'de' })).toMatchObject({ title: 'Hallo', header: 'T' });
  });

  it('prefers the texts for Android', () => {
    const fields = {
      title: texts({ default: 'T' }),
      android: android({ text: texts({ default: 'A' }), title: texts({ default: 'H' }) }),
    };
    expect(dataOf(fields)).toMatchObject({ title: 'A', header: 'H' });
  });

  it('has the keys that clients read, all strings', () => {
    const data = dataOf(
      {
        data: '{"a": 1}',
        link: 'https://h/{{Name}}',
        tags: ['Name'],
        android: android({
          sound: 'bell',
          icon: 'i1',
          customIcon: 'https://c/{{Name}}.png',
          banner: '{{Name}}',
          badge: '4',
          vibration: true,
          led: 'ff0000',
          priority: -2,
          iconBackground: '#00ff00',
          groupId: 'g',
        }),
      },
      { values: ['a/b'] },
    );
    expect(data).toMatchObject({
      u: '{"a": 1}',
      l: 'https://h/a%2Fb',
      s: 'bell',
      i: 'i1',
      ci: 'https://c/a/b.png',
      b: 'a/b',
      pw_badges: '4',
      vib: '1',
      led: '#ff0000',
      pri: '-2',
      ibc: '#00ff00',
      group_id: 'g',
    });
    expect(Object.values(data).every((value) => typeof value === 'string')).toBe(true);
  });

  it('names the pages that a tap opens, all as strings', () => {
    const pages = { richMedia: 'A1B2C-3D4E5', pageId: 39, remotePage: 'https://h/?q={{Name}}', tags: ['Name'] };
    const { l, h, r, rm } = dataOf(pages, { values: ['a b'] });
    expect({ l, h, r, rm }).toEqual({ l: undefined, h: '39', r: 'https://h/?q=a%20b', rm: '{"code":"A1B2C-3D4E5"}' });
  });

  it('shows the computed badge of the device', () => {
    expect(dataOf({ android: android({ badge: '+1' }) }, { badge: 8 })).toMatchObject({ pw_badges: '8' });
  });

  it.each([
    ['absent', {}, undefined],
    ['empty', { sound: '' }, ''],
    ['switched off', { sound: 'x', soundOff: true }, ''],
  ])('has the sound of the content: %s', (_, fields, sound) => {
    expect(dataOf({ android: android(fields) })['s']).toBe(sound);
  });

  it('is marked if it is silent', () => {
    expect(dataOf({ android: android({ silent: true }) })).toMatchObject({ silent: '1', pw_silent: '1' });
  });

  it.each([
    ['priority', { deliveryPriority: 'high' }, { priority: 'HIGH' }],
    ['normal priority', { deliveryPriority: 'normal' }, { priority: 'NORMAL' }],
    ['TTL', { ttlSeconds: 60 }, { ttl: '60s' }],
    ['a TTL of nothing', { ttlSeconds: 0 }, { ttl: '0s' }],
    ['a TTL beyond what FCM takes', { ttlSeconds: 9_999_999 }, { ttl: '2419200s' }],
  ])('has the delivery settings of the content: %s', (_, fields, config) => {
    expect(messageOf({ android: android(fields) }).android).toMatchObject(config);
  });

  it.each([
    [60, 20, '40s'],
    [60, 3600, '1s'],
    [0, 3600, '0s'],
  ])('has the rest of a TTL of %i s, %i s after the release: %s (R-I11)', (ttlSeconds, ageSeconds, ttl) => {
    expect(messageOf({ android: android({ ttlSeconds }) }, { ageSeconds }).android).toMatchObject({ ttl });
  });

  it('has high priority for a call', () => {
    const fields = {
      voip: true,
      android: android({ rootParams: '{"voip":true,"callerName":"Anna","video":{"on":1}}' }),
    };
    expect(messageOf(fields)).toMatchObject({
      android: { priority: 'HIGH' },
      data: { voip: 'true', callerName: 'Anna', video: '{"on":1}' },
    });
  });

  it('merges root params, but keeps the hash and the mark', () => {
    const data = dataOf({
      android: android({ rootParams: '{"p":"stolen","pw_msg":"0","title":"mine","n":null,"x":1.50}' }),
    });
    expect(data).toMatchObject({ pw_msg: '1', title: 'mine', x: '1.50' });
    expect(data['p']).not.toBe('stolen');
    expect(data).not.toHaveProperty('n');
  });

  it('is measured by the size of its data', () => {
    const bytes = (count: number) => written(fcm, { text: texts({ default: 'x'.repeat(count) }) });
    const size = (body: Buffer): number =>
      Object.entries(messageIn(body).data)
        .flat()
        .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const fits = ({ body, limit }: ReturnType<typeof bytes>): boolean => fcm.fits(body, limit);
    const rest = size(bytes(1).body) - 1;
    expect(fits(bytes(4096 - rest))).toBe(true);
    expect(fits(bytes(4097 - rest))).toBe(false);
  });
});
