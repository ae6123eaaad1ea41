import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { Platform } from '@tidings/kernel';
import type { FindDevicesRequest } from '@tidings/rpc';
import { describeWithMongo } from '@tidings/testing';
import { noFault, RegistryUnderTest } from '../../testing/registry-under-test.ts';

describeWithMongo('a search for devices', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const { apply, command, register, registration, settle } = test;

  const find = (by: FindDevicesRequest['by']) =>
    test.registry.devices.find({ account: 'default', application: test.app, by });
  const hwids = async (by: FindDevicesRequest['by']): Promise<string[]> =>
    (await find(by)).devices.map(({ hwid }) => hwid);

  it('shows what is known of a device, and where else its hwid is registered', async () => {
    await register('phone', { pushToken: 'token-1', language: 'de', timezoneSeconds: 3600, userId: 'anna' });
    await register('phone', { pushToken: 'token-2', platform: Platform.iOS }, { application: test.sibling });
    const device = {
      pushToken: 'token-1',
      platform: Platform.Android,
      name: 'n',
      description: '',
      language: '',
      unconfirmed: false,
    };
    await test.registry.testDevices.setTestDevice({ application: test.app, device, withoutToken: false });
    const { devices, more } = await find({ $case: 'hwid', value: 'phone' });
    expect(more).toBe(false);
    expect(devices).toHaveLength(1);
    expect(devices[0]).toMatchObject({
      hwid: 'phone',
      userId: 'anna',
      platform: Platform.Android,
      tokenHash: hash('sha256', 'token-1'),
      language: 'de',
      timezoneSeconds: 3600,
      createdAt: test.clock.date,
      tokenSetAt: test.clock.date,
      openedAt: undefined,
      testDevice: true,
    });
    expect(devices[0]!.tags).toMatchObject({ Language: 'de' });
    expect(devices[0]!.registrations.map(({ application, platform }) => ({ application, platform }))).toEqual(
      expect.arrayContaining([
        { application: test.app, platform: Platform.Android },
        { application: test.sibling, platform: Platform.iOS },
      ]),
    );
    expect(JSON.stringify(devices, (_, value: unknown) => String(value))).not.toContain('token-1');
  });

  it('knows push tokens and users', async () => {
    expect(await hwids({ $case: 'pushToken', value: 'token-1' })).toEqual(['phone']);
    expect(await hwids({ $case: 'pushToken', value: 'token-2' })).toEqual([]);
    test.clock.advance(1_000);
    await register('tablet', { userId: 'anna' });
    expect(await hwids({ $case: 'userId', value: 'anna' })).toEqual(['tablet', 'phone']);
    expect(await hwids({ $case: 'userId', value: 'phone' })).toEqual([]);
    expect(await hwids({ $case: 'hwid', value: 'nobody' })).toEqual([]);
  });

  it('knows addresses and phone numbers in any spelling, of contacts alone', async () => {
    await register('crm-1', { platform: Platform.Email, pushToken: 'Eva@example.com' });
    await register('eva2@example.com', { platform: Platform.Email, pushToken: 'eva2@example.com' });
    await register('+4915112345678', { platform: Platform.Sms });
    await register('whatsapp:+4915112345678', { platform: Platform.WhatsApp });
    await register('fake', { pushToken: 'eva@example.com' });
    await settle();
    expect(await hwids({ $case: 'email', value: 'EVA@example.com' })).toEqual(['crm-1']);
    expect(await hwids({ $case: 'email', value: 'eva2@example.com' })).toEqual(['eva2@example.com']);
    const contacts = await hwids({ $case: 'phone', value: '49 (151) 123-456-78' });
    expect(contacts.toSorted()).toEqual(['+4915112345678', 'whatsapp:+4915112345678']);
  });

  it('ends after a hundred devices, and names no deleted one', async () => {
    const userId = 'crowd';
    const replies = await apply(
      ...Array.from({ length: 102 }, (_, i) => command(`crowd-${i}`, registration({ userId }))),
    );
    expect(new Set(replies)).toEqual(new Set(replies.map(() => noFault)));
    const first = await find({ $case: 'userId', value: userId });
    expect([first.devices.length, first.more]).toEqual([100, true]);
    await apply(...[0, 1].map((i) => command(`crowd-${i}`, { $case: 'erase', value: {} })));
    const second = await find({ $case: 'userId', value: userId });
    expect([second.devices.length, second.more]).toEqual([100, false]);
    expect(second.devices.map(({ hwid }) => hwid)).not.toContain('crowd-0');
  });

  test.expectNoWarnings();
});
