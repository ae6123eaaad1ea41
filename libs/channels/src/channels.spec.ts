import { describe, expect, it } from '@jest/globals';
import { channels, Fault, Platform } from '@tidings/kernel';
import { channelServing, definitionOf, definitions } from './channels.ts';

describe('the channels', () => {
  it('are exactly those with a dispatcher', () => {
    expect(Object.keys(definitions)).toEqual([...channels]);
  });

  it('share no platform', () => {
    const platforms = Object.values(definitions).flatMap((each) => each.platforms);
    expect(new Set(platforms).size).toBe(platforms.length);
  });

  it('have an ordinary variant for every platform', () => {
    for (const { platforms } of Object.values(definitions)) {
      for (const platform of platforms) expect(channels).toContain(channelServing(platform, 'alert'));
    }
  });

  it('are found by the platform of a device', () => {
    expect(definitionOf(Platform.iOS)).toBe(definitions.apns);
    expect(definitionOf(Platform.Android)).toBe(definitions.fcm);
    expect(definitionOf(Platform.Email)).toBeUndefined();
  });

  it('refuse a variant that no definition names', () => {
    expect(() => channelServing(Platform.iOS, 'carrier pigeon')).toThrow(Fault);
    expect(() => channelServing(Platform.Email, 'alert')).toThrow(Fault);
  });
});
