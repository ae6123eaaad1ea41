import { describe, expect, it } from '@jest/globals';
import type { Content } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { android, isHashOf, type TestDevice, texts, written } from '../testing/payloads.ts';
import { adm } from './adm-definition.ts';

interface Request {
  readonly data: Readonly<Record<string, string>>;
  readonly consolidationKey: string;
  readonly expiresAfter?: number;
}

const requestOf = (fields: Partial<Content>, of: TestDevice = {}): Request =>
  JSON.parse(written(adm, fields, of).body.toString()) as Request;

describe('a request of ADM', () => {
  it('has a consolidation key and a tag of its message for a text alone', () => {
    const { data, ...request } = requestOf({});
    const { p, ...others } = data;
    expect(request).toEqual({ consolidationKey: 'AF0B-EEFE4D5E-E445B2E9' });
    expect(others).toEqual({ title: 'Hello', pw_msg: '1', pw_msg_tag: 'AF0B-EEFE4D5E-E445B2E9' });
    expect(isHashOf(p, Platform.Amazon)).toBe(true);
  });

  it('has the texts and settings of Amazon devices, and none of Android', () => {
    const amazon = android({
      title: texts({ default: 'Own' }),
      sound: 'bell',
      priority: 1,
      rootParams: '{"a":{"b":1}}',
    });
    const fields = { title: texts({ default: 'T' }), android: android({ icon: 'i' }), amazon };
    const { data } = requestOf(fields);
    expect(data).toMatchObject({ header: 'Own', s: 'bell', pri: '1', a: '{"b":1}' });
    expect(data).not.toHaveProperty('i');
    expect(Object.values(data).every((value) => typeof value === 'string')).toBe(true);
  });

  it.each([
    [undefined, undefined],
    [0, 60],
    [3600, 3600],
    [9_999_999, 2_678_400],
  ])('expires with a TTL of %s after %s seconds', (ttlSeconds, expiresAfter) => {
    const amazon = android(ttlSeconds === undefined ? {} : { ttlSeconds });
    expect(requestOf({ amazon }).expiresAfter).toBe(expiresAfter);
  });

  it('expires after the rest of its TTL since the release (R-I11)', () => {
    const amazon = android({ ttlSeconds: 3600 });
    const expiryAfter = (ageSeconds: number) => requestOf({ amazon }, { ageSeconds }).expiresAfter;
    expect([600, 4000].map(expiryAfter)).toEqual([3000, 60]);
  });

  it('is measured by the size of its data', () => {
    const bytes = (count: number) => written(adm, { text: texts({ default: 'x'.repeat(count) }) });
    const fits = ({ body, limit }: ReturnType<typeof bytes>): boolean => adm.fits(body, limit);
    const { data } = JSON.parse(bytes(1).body.toString()) as Request;
    const rest = Buffer.byteLength(JSON.stringify(data)) - 1;
    expect(fits(bytes(6144 - rest))).toBe(true);
    expect(fits(bytes(6145 - rest))).toBe(false);
    expect(adm.fits(Buffer.alloc(1 << 20, ' '), 6144)).toBe(false);
  });
});
