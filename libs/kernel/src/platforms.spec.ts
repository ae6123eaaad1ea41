import { describe, expect, it } from '@jest/globals';
import { addressKindOf, hwidOn, isPushPlatform, isRegistrable, Platform, pushPlatforms } from './platforms.ts';

const all = Object.values(Platform);

describe('platforms', () => {
  it('register devices unless they are legacy ones (R-RES24)', () => {
    expect(all.filter(isRegistrable)).toEqual([1, 3, 7, 8, 9, 10, 11, 12, 14, 17, 18, 21, 22, 23]);
    expect(isRegistrable(4)).toBe(false);
  });

  it('are push platforms or have contacts (R-I5)', () => {
    expect(pushPlatforms).toEqual([1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13, 17, 19]);
    expect(all.filter((code) => !isPushPlatform(code))).toEqual([14, 18, 21, 22, 23]);
    expect(isPushPlatform(4)).toBe(false);
  });

  it('have endpoints instead of tokens for browsers (R-RES2)', () => {
    expect(all.filter((code) => addressKindOf(code) === 'endpoint')).toEqual([11, 12]);
    expect(addressKindOf(4)).toBeUndefined();
  });

  it.each([
    [Platform.Sms, '49 151 1234567 8', '+4915112345678'],
    [Platform.Sms, 'phone', undefined],
    [Platform.WhatsApp, '+4915112345678', 'whatsapp:+4915112345678'],
    [Platform.WhatsApp, 'phone', undefined],
    [Platform.iOS, 'Phone', 'Phone'],
    [Platform.Kakao, '+49 151', '+49 151'],
    [4, 'Phone', 'Phone'],
  ])('store a hwid in one form: on %i, %j is %j (R-C2)', (platform, given, stored) => {
    expect(hwidOn(platform, given)).toBe(stored);
  });
});
