import { describe, expect, it } from '@jest/globals';
import { connectedDevice } from './connection.ts';

const options = { url: 'https://push.example/', application: 'A1B2C-3D4E5', token: 'one' };

describe('the stored device', () => {
  it('gets an hwid of its own', () => {
    const [first, second] = [connectedDevice(options, undefined), connectedDevice(options, undefined)];
    expect(first).toMatchObject({ url: 'https://push.example', application: 'A1B2C-3D4E5', token: 'one' });
    expect(first.hwid).toMatch(/^[\da-f-]{36}$/);
    expect(second.hwid).not.toBe(first.hwid);
  });

  const stored = {
    ...connectedDevice(options, undefined),
    isSubscribed: true,
    userId: 'anna',
    language: 'de',
    endpoint: 'https://a/1',
    vapidKey: 'B1',
  };

  it('keeps what it knows, and takes the options of the page', () => {
    expect(connectedDevice({ ...options, token: 'two', title: 'Shop' }, stored)).toEqual({
      ...stored,
      token: 'two',
      title: 'Shop',
    });
  });

  it.each([{ application: 'F6A7B-8C9D0' }, { url: 'https://other.example' }])(
    'is not registered after a change of its application or gateway: %j',
    (change) => {
      const device = connectedDevice({ ...options, ...change }, stored);
      expect(device).toMatchObject({ hwid: stored.hwid, isSubscribed: true, language: 'de' });
      expect([device.endpoint, device.vapidKey, device.userId]).toEqual([undefined, undefined, undefined]);
    },
  );
});
