import type { Fault } from '@tidings/kernel';
import { api } from '../api.ts';
import type { Method, Request } from '../method.ts';

const textOf = (method: Method, request: Request): string | undefined => {
  const missing = method.missing(request);
  if (missing) return missing.message;
  try {
    method.parse(request);
    return undefined;
  } catch (thrown) {
    return (thrown as Fault).message;
  }
};

const device = { application: 'A1B2C-3D4E5', hwid: 'phone-1', device_type: 3 };

describe('registerDevice', () => {
  it.each([
    [{ ...device, hwid: '' }, 'Hwid is not valid'],
    [{ ...device, hwid: 'x'.repeat(256) }, 'Hwid is not valid'],
    [{ ...device, hwid: 'x'.repeat(65_537) }, 'Hwid is not valid'],
    [{ ...device, hwid: true }, 'hwid: must be a string'],
    [{ ...device, device_type: 2 }, 'device_type: unknown platform'],
    [{ ...device, device_type: 'phone' }, 'device_type: must be an integer'],
    [{ ...device, language: 'english' }, 'language: must be a two-letter code'],
    [{ ...device, timezone: 50_401 }, 'timezone: must be -43200 to 50400'],
    [{ ...device, userId: '' }, 'userId: must be 1 to 255 characters'],
    [{ ...device, device_type: 18 }, 'Hwid is not valid'],
    [{ ...device, device_type: 21, hwid: '+4915112345678' }, 'Hwid is not valid'],
    [{ ...device, hwid: undefined }, 'Missing required argument: hwid'],
    [{ application: 'A1B2C-3D4E5' }, 'Missing required argument: hwid'],
    [{ hwid: 'x' }, 'Missing required argument: application'],
    [{ ...device, device_type: null }, 'Missing required argument: device_type'],
    [{ ...device, device_type: 14, hwid: null }, 'Missing required argument: email'],
    [{ ...device, device_type: { toString: 2 }, hwid: null }, 'Missing required argument: hwid'],
    [{ ...device, device_type: 14, email: '' }, 'Email address is empty'],
    [{ ...device, device_type: 14, hwid: 'no@body' }, 'Email address has invalid domain part'],
  ])('refuses %#', (request, text) => expect(textOf(api.registerDevice, request)).toBe(text));

  it.each([
    [{ ...device, device_type: '21', hwid: 'whatsapp:+4915112345678' }, { device: { platform: 21 } }],
    [{ ...device, language: 'pt-BR' }, { device: { language: 'pt' } }],
    [{ ...device, application: 'a1b2c-3d4e5' }, { application: 'A1B2C-3D4E5' }],
    [{ ...device, push_token: '' }, { device: { pushToken: '' } }],
    [{ ...device, push_token: null }, { device: { pushToken: undefined } }],
    [{ ...device, country: 'de' }, { device: { country: 'DE' } }],
    [{ ...device, country: 'Germany' }, { device: { country: undefined } }],
    [
      { ...device, device_type: 14, email: 'A@Example.com' },
      { hwid: 'phone-1', device: { pushToken: 'a@example.com' } },
    ],
    [
      { ...device, device_type: 14, hwid: 'A@Example.com' },
      { hwid: 'a@example.com', device: { pushToken: 'a@example.com' } },
    ],
    // Whether it has an address, only its record tells.
    [
      { ...device, device_type: 14 },
      { hwid: 'phone-1', device: { platform: 14, pushToken: undefined } },
    ],
  ])('takes %#', (request, taken) => expect(api.registerDevice.parse(request)).toMatchObject(taken));
});

describe('setTags and getTags', () => {
  it.each([
    [api.setTags, { application: 'a', tags: {} }, 'Missing required argument: hwid'],
    [api.setTags, { application: 'a', hwid: 'x' }, 'Missing required argument: tags'],
    [api.setTags, { application: 'a', hwid: 'x', tags: [] }, 'tags: must be an object'],
    [api.getTags, { application: 'a', hwid: null, userId: null }, 'Missing required argument: hwid'],
    [api.getTags, { application: 'a', userId: 'u' }, undefined],
  ])('%#', (method: Method, request, text) => expect(textOf(method, request)).toBe(text));

  it('keeps a tag of any name', () => {
    const tags = JSON.parse('{"__proto__": 1, "constructor": 2}') as Record<string, unknown>;
    expect(Object.keys(api.setTags.parse({ application: 'a', hwid: 'x', tags }).tags)).toEqual([
      '__proto__',
      'constructor',
    ]);
  });
});

describe('postEvent (R-X1)', () => {
  const event = { application: 'a', event: 'x' };

  it.each([
    [{ ...event }, 'hwid: must be set'],
    [{ ...event, hwid: null, userId: null }, 'hwid: must be set'],
    [{ application: 'a' }, 'Missing required argument: event'],
    [{ ...event, event: '' }, 'event: must be 1 to 255 characters'],
    [{ ...event, hwid: '' }, 'Hwid is not valid'],
    [{ ...event, userId: 'u' }, undefined],
    [{ ...event, hwid: 'x' }, undefined],
  ])('%#', (request, text) => expect(textOf(api.postEvent, request)).toBe(text));

  it.each([
    [
      { amount: '4.99', currency: 'eur' },
      { amount: 4.99, currency: 'EUR' },
    ],
    [
      { __amount: -4.99, __currency: 'points' },
      { amount: -4.99, currency: 'POINTS' },
    ],
    [{ amount: 4.99 }, {}],
    [{ amount: 'much', currency: 'EUR' }, {}],
  ])('with %j is worth %j (R-H6)', (attributes, worth) => {
    const { amount, currency } = api.postEvent.parse({ ...device, event: 'Refund', attributes });
    expect({ amount, currency }).toEqual({ amount: undefined, currency: undefined, ...worth });
  });
});

describe('setPurchase (R-C12)', () => {
  const { request } = api.setPurchase.examples[0]!;
  const noon = new Date('2026-01-15T12:00:00Z');

  it.each([
    1_768_478_400,
    '1768478400',
    '2026-01-15 12:00',
    '2026-01-15T12:00:00.000Z',
    '2026-01-15T14:00:00+0200',
    '2026-01-15T14:00:00+02:00',
  ])('takes %j as noon', (transactionDate) =>
    expect(api.setPurchase.parse({ ...request, transactionDate })).toMatchObject({ transactionDate: noon }),
  );

  it('takes seconds with a fraction, and those before 1970', () => {
    const dateOf = (transactionDate: unknown): Date =>
      api.setPurchase.parse({ ...request, transactionDate }).transactionDate;
    expect(dateOf(1_768_478_400.5).getTime()).toBe(noon.getTime() + 500);
    expect(dateOf(-60)).toEqual(new Date('1969-12-31T23:59:00Z'));
  });

  it.each(['yesterday', '2026-02-30', 1e15])('takes no %j', (transactionDate) =>
    expect(textOf(api.setPurchase, { ...request, transactionDate })).toBe('transactionDate: must be a date'),
  );
});

describe('setBadge (R-C9)', () => {
  it.each([
    [0, undefined],
    [2_147_483_647, undefined],
    [2_147_483_648, 'badge: must be 0 to 2147483647'],
    [-1, 'badge: must be 0 to 2147483647'],
  ])('of %i', (badge, text) => expect(textOf(api.setBadge, { ...device, badge })).toBe(text));
});

describe('mergeUser (R-X2)', () => {
  const user = { application: 'A1B2C-3D4E5', oldUserId: 'old' };
  it.each([
    [user, 'Missing required argument: newUserId'],
    [{ ...user, merge: true }, 'Missing required argument: newUserId'],
    [{ ...user, merge: 'maybe' }, 'Missing required argument: newUserId'],
    [{ ...user, merge: 0 }, undefined],
    [{ ...user, merge: false, newUserId: '' }, 'newUserId: must be 1 to 255 characters'],
  ])('%j', (request, text) => expect(textOf(api.mergeUser, request)).toBe(text));
});

describe('addTag (R-D1)', () => {
  it.each([
    [{}, 'Missing required argument: tag'],
    [{ tag: { type: 1 } }, 'Missing required argument: tag.name'],
    [{ tag: { name: 'x' } }, 'Missing required argument: tag.type'],
    [{ tag: { name: '  ', type: 1 } }, 'tag.name: must be 1 to 255 characters'],
    [{ tag: { name: 'x', type: 8 } }, 'tag.type: must be 1 to 7'],
    [{ tag: 'x' }, 'tag: must be an object'],
  ])('%#', (request, text) => expect(textOf(api.addTag, request)).toBe(text));
});

describe('configureApplication', () => {
  const android = api.configureApplication.examples[1]!.request;
  const account = android['android_fcm_service_account'] as Record<string, unknown>;

  it.each([
    [{ application: 'a' }, 'Missing required argument: device_type'],
    [{ application: 'a', device_type: 1 }, 'Missing required argument: ios_key_management_type'],
    [{ application: 'a', device_type: 11 }, 'Missing required argument: chrome_fcm_service_account'],
    [{ application: 'a', device_type: 19 }, 'device_type: platform cannot be configured'],
    [{ application: 'a', device_type: {} }, 'device_type: must be an integer'],
    [{ ...android, android_framework: 'Native' }, /^android_framework: must be one of native, cordova,/],
    [{ ...android, android_fcm_service_account: '{}' }, 'android_fcm_service_account: must be an object'],
    [
      { ...android, android_fcm_service_account: { ...account, type: 'user' } },
      'android_fcm_service_account.type: must be service_account',
    ],
    [
      { ...android, android_fcm_service_account: { ...account, private_key: '' } },
      'android_fcm_service_account.private_key: must be a non-empty string',
    ],
  ])('refuses %#', (request, text) => expect(textOf(api.configureApplication, request)).toMatch(text));

  it('wants base64 key files, and no more of them (R-A2)', () => {
    const ios = api.configureApplication.examples[0]!.request;
    expect(textOf(api.configureApplication, { ...ios, ios_key_file: '#' })).toBe('ios_key_file: must be base64');
    expect(textOf(api.configureApplication, { ...ios, ios_key_file: '' })).toBe('ios_key_file: must not be empty');
    expect(textOf(api.configureApplication, { ...ios, ios_key_id: null, ios_team_id: null })).toBeUndefined();
  });
});
