import { describe, expect, it } from '@jest/globals';
import type { Content } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { android, content, isHashOf, type TestDevice, texts, TOKEN, written } from '../testing/payloads.ts';
import { hms } from './hms-definition.ts';

interface Message {
  readonly token: readonly string[];
  readonly android: Record<string, unknown>;
  readonly data: string;
}

const messageIn = (body: Buffer): Message => (JSON.parse(body.toString()) as { message: Message }).message;
const messageOf = (fields: Partial<Content>, of: TestDevice = {}): Message => messageIn(written(hms, fields, of).body);
const dataOf = (...parameters: Parameters<typeof messageOf>): Record<string, string> =>
  JSON.parse(messageOf(...parameters).data) as Record<string, string>;

describe('a request of Push Kit', () => {
  it('is a data message to one device, with the tag of its message, for a text alone', () => {
    const message = messageOf({});
    expect(message).toMatchObject({ token: [TOKEN], android: {} });
    const { p, ...data } = JSON.parse(message.data) as Record<string, string>;
    expect(data).toEqual({ title: 'Hello', pw_msg: '1', pw_msg_tag: 'AF0B-EEFE4D5E-E445B2E9' });
    expect(isHashOf(p, Platform.Huawei)).toBe(true);
  });

  it('has the texts and settings of Huawei devices, and none of Android', () => {
    const fields = {
      title: texts({ default: 'T' }),
      android: android({ text: texts({ default: 'Android' }), sound: 'android' }),
      huawei: android({ text: texts({ en: 'Own', de: 'Eigener' }), sound: 'bell', lockscreen: false }),
    };
    expect(dataOf(fields, { language: 'de' })).toMatchObject({
      title: 'Eigener',
      header: 'T',
      s: 'bell',
      pw_lockscreen: '0',
    });
    expect(dataOf({ huawei: android({ lockscreen: true }) })).toMatchObject({ pw_lockscreen: '1' });
  });

  it('has values of any characters in the JSON in the string', () => {
    const name = 'a"\\\n\u0001ü{';
    const text = texts({ default: 'Dear {{Name}} "{{Name}}"' });
    const fields = { text, link: 'https://h/{{Name}}', data: '{"a":"\\""}', tags: ['Name'] };
    expect(dataOf(fields, { values: [name] })).toMatchObject({
      title: `Dear ${name} "${name}"`,
      l: `https://h/${encodeURIComponent(name)}`,
      u: '{"a":"\\""}',
    });
  });

  it('shows the computed badge of the device', () => {
    expect(dataOf({ huawei: android({ badge: '+1' }) }, { badge: 8 })).toMatchObject({ pw_badges: '8' });
    expect(
      hms.badgeOf({ platform: 17, variant: 'alert', content: content({ huawei: android({ badge: '+1' }) }) }),
    ).toBe('+1');
  });

  it.each([
    ['priority', { deliveryPriority: 'high' }, { urgency: 'HIGH' }],
    ['normal priority', { deliveryPriority: 'normal' }, { urgency: 'NORMAL' }],
    ['TTL', { ttlSeconds: 60 }, { ttl: '60s' }],
    ['a TTL of nothing', { ttlSeconds: 0 }, { ttl: '1s' }],
    ['a TTL beyond what Push Kit takes', { ttlSeconds: 9_999_999 }, { ttl: '1296000s' }],
  ])('has the delivery settings of the content: %s', (_, fields, config) => {
    expect(messageOf({ huawei: android(fields) }).android).toEqual(config);
  });

  it('expires after the rest of its TTL since the release (R-I11)', () => {
    const huawei = android({ ttlSeconds: 60 });
    expect(messageOf({ huawei }, { ageSeconds: 20 }).android).toMatchObject({ ttl: '40s' });
  });

  it('is urgent for a call', () => {
    const fields = { voip: true, huawei: android({ rootParams: '{"voip":true,"callerName":"Anna"}' }) };
    expect(messageOf(fields).android).toEqual({ urgency: 'HIGH' });
    expect(dataOf(fields)).toMatchObject({ voip: 'true', callerName: 'Anna' });
  });

  it('is measured without its token', () => {
    const bytes = (count: number) => written(hms, { text: texts({ default: 'x'.repeat(count) }) });
    const fits = ({ body, limit }: ReturnType<typeof bytes>): boolean => hms.fits(body, limit);
    const rest = bytes(1).body.length - 1 - Buffer.byteLength(TOKEN);
    expect(fits(bytes(4096 - rest))).toBe(true);
    expect(fits(bytes(4097 - rest))).toBe(false);
    expect(hms.fits(Buffer.alloc(1 << 20, ' '), 4096)).toBe(false);
  });
});
