import { describe, expect, it } from '@jest/globals';
import { channels, Fault, Platform } from '@tidings/kernel';
import { addChannel, channelNames, channelServing, definitionOf, definitions } from './channels.ts';

describe('the channels', () => {
  it('are exactly those with a dispatcher', () => {
    expect(channelNames().toSorted()).toEqual(channels.toSorted());
  });

  it('share neither a platform nor a name', () => {
    expect(() => addChannel('copy', definitions.fcm)).toThrow(Fault);
    expect(() => addChannel('fcm', { ...definitions.fcm, platforms: [] })).toThrow(Fault);
    expect(channelNames().toSorted()).toEqual(channels.toSorted());
  });

  it('have an ordinary variant for every platform', () => {
    for (const { platforms } of Object.values(definitions)) {
      for (const platform of platforms) expect(channels).toContain(channelServing({ platform, variant: 'alert' }));
    }
  });

  it('are found by the platform of a device', () => {
    expect(definitionOf(Platform.iOS)).toBe(definitions.apns);
    expect(definitionOf(Platform.Android)).toBe(definitions.fcm);
    expect(definitionOf(Platform.Blackberry)).toBeUndefined();
  });

  it('refuse a variant without a definition', () => {
    expect(() => channelServing({ platform: Platform.iOS, variant: 'carrier pigeon' })).toThrow(Fault);
    expect(() => channelServing({ platform: Platform.Blackberry, variant: 'alert' })).toThrow(Fault);
  });
});
