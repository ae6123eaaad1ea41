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
    [{ ...device, language: {} }, 'language: must be a string'],
    [{ ...device, timezone: 50_401 }, 'timezone: must be -43200 to 50400'],
    [{ ...device, userId: '' }, 'userId: must be 1 to 255 characters'],
    [{ ...device, device_type: 18 }, 'Hwid is not valid'],
    [{ ...device, device_type: 21, hwid: '+49151' }, 'Hwid is not valid'],
    [{ ...device, device_type: 18, hwid: 'whatsapp:+4915112345678' }, 'Hwid is not valid'],
    [{ ...device, hwid: undefined }, 'Missing required argument: hwid'],
    [{ application: 'A1B2C-3D4E5' }, 'Missing required argument: hwid'],
    [{ hwid: 'x' }, 'Missing required argument: application'],
    [{ ...device, device_type: null }, 'Missing required argument: device_type'],
    [{ ...device, device_type: 14, hwid: null }, 'Missing required argument: email'],
    [{ ...device, device_type: { toString: 2 }, hwid: null }, 'Missing required argument: hwid'],
    [{ ...device, device_type: 14, email: '' }, 'Email address is empty'],
    [{ ...device, device_type: 14, hwid: 'no@body' }, 'Email address has invalid domain part'],
  ])('refuses an invalid request: %#', (request, text) => expect(textOf(api.registerDevice, request)).toBe(text));

  it.each([
    [{ ...device, device_type: '21', hwid: 'whatsapp:+4915112345678' }, { device: { platform: 21 } }],
    [{ ...device, device_type: 21, hwid: '49 151-12345678' }, { hwid: 'whatsapp:+4915112345678' }],
    [{ ...device, device_type: 18, hwid: '(49)15112345678' }, { hwid: '+4915112345678' }],
    [{ ...device, hwid: '4915112345678' }, { hwid: '4915112345678' }],
    [{ ...device, language: 'pt-BR' }, { device: { language: 'pt' } }],
    [{ ...device, language: 'English' }, { device: { language: undefined } }],
    [{ ...device, language: '' }, { device: { language: undefined } }],
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
    // Only its record tells whether it has an address.
    [
      { ...device, device_type: 14 },
      { hwid: 'phone-1', device: { platform: 14, pushToken: undefined } },
    ],
  ])('accepts a valid request: %#', (request, taken) => expect(api.registerDevice.parse(request)).toMatchObject(taken));
});

describe('a token or an address (R-LM6)', () => {
  // Two bytes a character in UTF-8.
  const bytes = (count: number): string => 'é'.repeat(count / 2);
  const endpoint = (count: number): string => 'https://push.example/'.padEnd(count, 'x');
  const key = (count: number): string => 'A'.repeat(count);
  const registered = (field: string, value: string, platform = 3) =>
    textOf(api.registerDevice, { ...device, device_type: platform, [field]: value });
  const several = (more: Request) =>
    textOf(api.multiRegisterDevice, {
      application: 'A1B2C-3D4E5',
      push_devices: [
        { hwid: 'phone-1', platform: 3, push_token: bytes(4096) },
        { hwid: 'phone-2', platform: 11, ...more },
      ],
    });
  const live = { application: 'A1B2C-3D4E5', hwid: 'phone-1' };

  it.each([
    ['push_token', 3, 4096],
    ['push_token', 1, 4096],
    ['push_token', 10, 4096],
    ['push_token', 11, 2048, endpoint],
    ['push_token', 12, 2048, endpoint],
    ['public_key', 11, 2048, key],
    ['auth_token', 11, 2048, key],
    ['fcm_token', 11, 4096],
    ['fcm_push_set', 11, 4096],
  ])('is refused in registerDevice as %s of platform %i over %i bytes', (field, code, limit, of = bytes) => {
    expect(registered(field, of(limit), code)).toBeUndefined();
    const refusal = `${field}: must have up to ${limit} bytes`;
    expect(registered(field, `${of(limit)}x`, code)).toBe(refusal);
    expect(registered(field, 'x'.repeat(65_537), code)).toBe(refusal);
  });

  it('is refused in multiRegisterDevice with the path of its device', () => {
    expect(several({ push_token: endpoint(2048) })).toBeUndefined();
    expect(several({ push_token: bytes(2050) })).toBe('push_devices[1].push_token: must have up to 2048 bytes');
    expect(several({ platform: 3, push_token: bytes(4098) })).toBe(
      'push_devices[1].push_token: must have up to 4096 bytes',
    );
    for (const key of ['public_key', 'auth_token']) {
      expect(several({ platformData: { [key]: bytes(2050) } })).toBe(
        `push_devices[1].platformData.${key}: must have up to 2048 bytes`,
      );
    }
  });

  it('is refused in live activities and test devices', () => {
    const start = { ...live, activity_push_to_start_token: bytes(4096) };
    const update = { ...live, activity_id: 'order-17', activity_push_token: bytes(4096) };
    const test = { application: 'A1B2C-3D4E5', name: 'Phone', device_type: 3, push_token: bytes(4096) };
    expect(textOf(api.setActivityPushToStartToken, start)).toBeUndefined();
    expect(textOf(api.setActivityToken, update)).toBeUndefined();
    expect(textOf(api.createTestDevice, test)).toBeUndefined();
    const refusal = 'must have up to 4096 bytes';
    expect(textOf(api.setActivityPushToStartToken, { ...start, activity_push_to_start_token: bytes(4098) })).toBe(
      `activity_push_to_start_token: ${refusal}`,
    );
    expect(textOf(api.setActivityToken, { ...update, activity_push_token: bytes(4098) })).toBe(
      `activity_push_token: ${refusal}`,
    );
    expect(textOf(api.createTestDevice, { ...test, push_token: bytes(4098) })).toBe(`push_token: ${refusal}`);
    expect(textOf(api.createTestDevice, { ...test, device_type: 12, push_token: bytes(2050) })).toBe(
      'push_token: must have up to 2048 bytes',
    );
    expect(textOf(api.createTestDevice, { ...test, push_token: '' })).toBe('push_token: must not be empty');
  });

  it('may be a number (R-ER7)', () => {
    expect(api.registerDevice.parse({ ...device, push_token: 17 })).toMatchObject({ device: { pushToken: '17' } });
  });
});

describe('setTags and getTags', () => {
  it.each([
    [api.setTags, { application: 'a', tags: {} }, 'Missing required argument: hwid'],
    [api.setTags, { application: 'a', hwid: 'x' }, 'Missing required argument: tags'],
    [api.setTags, { application: 'a', hwid: 'x', tags: [] }, 'tags: must be an object'],
    [api.getTags, { application: 'a', hwid: null, userId: null }, 'Missing required argument: hwid'],
    [api.getTags, { application: 'a', userId: 'u' }, undefined],
  ])('require their fields: %#', (method: Method, request, text) => expect(textOf(method, request)).toBe(text));

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
  ])('requires an event, and a device or a user: %#', (request, text) =>
    expect(textOf(api.postEvent, request)).toBe(text),
  );

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
  ])('reads %j as the value %j (R-H6)', (attributes, worth) => {
    const { amount, currency, attributes: kept } = api.postEvent.parse({ ...device, event: 'Refund', attributes });
    expect(kept).toBe(JSON.stringify(attributes));
    expect({ amount, currency }).toEqual({ amount: undefined, currency: undefined, ...worth });
  });
});

describe('the times of postEvent (R-X1)', () => {
  it('are taken in seconds or as dates, and refused by their names', () => {
    const noon = new Date('2026-01-15T12:00:00Z');
    const times = { timestampUTC: 1_768_478_400, timestampCurrent: '2026-01-15 12:00:00' };
    const event = { ...device, event: 'x' };
    expect(api.postEvent.parse({ ...event, ...times })).toMatchObject({ happenedAt: noon, localAt: noon });
    expect(textOf(api.postEvent, { ...event, timestampUTC: 'soon' })).toBe('timestampUTC: must be a date');
    expect(textOf(api.postEvent, { ...event, timestampCurrent: {} })).toBe('timestampCurrent: must be a string');
    const attributes = { of: 'x'.repeat(65_536) };
    expect(textOf(api.postEvent, { ...event, attributes })).toBe('attributes: at most 65536 characters');
  });
});

describe('client times (R-S4)', () => {
  const noon = new Date('2026-01-15T12:00:00Z');
  const seen = { application: 'a', inbox_code: '1', userId: 'u', status: 1 };

  it.each([1_768_478_400, 1_768_478_400_000, '1768478400000', '1768478400000.25', '2026-01-15T12:00:00.000Z'])(
    'are seconds, milliseconds or dates: %j',
    (time) => {
      expect(api.inboxStatus.parse({ ...seen, time }).time).toEqual(noon);
      const event = { ...device, event: 'x', timestampUTC: time, timestampCurrent: time };
      expect(api.postEvent.parse(event)).toMatchObject({ happenedAt: noon, localAt: noon });
      const { request } = api.setPurchase.examples[0]!;
      expect(api.setPurchase.parse({ ...request, transactionDate: time }).transactionDate).toEqual(noon);
    },
  );

  it.each(['17684784000000', '1e12', 'now'])('are refused in other forms: %s', (time) =>
    expect(textOf(api.inboxStatus, { ...seen, time })).toBe('time: must be a date'),
  );
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
  ])('reads %j as noon', (transactionDate) =>
    expect(api.setPurchase.parse({ ...request, transactionDate })).toMatchObject({ transactionDate: noon }),
  );

  it('accepts seconds with a fraction, and those before 1970', () => {
    const dateOf = (transactionDate: unknown): Date =>
      api.setPurchase.parse({ ...request, transactionDate }).transactionDate;
    expect(dateOf(1_768_478_400.5).getTime()).toBe(noon.getTime() + 500);
    expect(dateOf(-60)).toEqual(new Date('1969-12-31T23:59:00Z'));
  });

  it.each(['yesterday', '2026-02-30', 1e15])('refuses %j', (transactionDate) =>
    expect(textOf(api.setPurchase, { ...request, transactionDate })).toBe('transactionDate: must be a date'),
  );
});

describe('setBadge (R-C9)', () => {
  it.each([
    [0, undefined],
    [2_147_483_647, undefined],
    [2_147_483_648, 'badge: must be 0 to 2147483647'],
    [-1, 'badge: must be 0 to 2147483647'],
  ])('accepts badges from 0 to 2147483647 only: %i', (badge, text) =>
    expect(textOf(api.setBadge, { ...device, badge })).toBe(text),
  );
});

describe('mergeUser (R-X2)', () => {
  const user = { application: 'A1B2C-3D4E5', oldUserId: 'old' };
  it.each([
    [user, 'Missing required argument: newUserId'],
    [{ ...user, merge: true }, 'Missing required argument: newUserId'],
    [{ ...user, merge: 'maybe' }, 'Missing required argument: newUserId'],
    [{ ...user, merge: 0 }, undefined],
    [{ ...user, merge: false, newUserId: '' }, 'newUserId: must be 1 to 255 characters'],
  ])('requires a new user unless it does not merge: %j', (request, text) =>
    expect(textOf(api.mergeUser, request)).toBe(text),
  );
});

describe('addTag (R-D1)', () => {
  it.each([
    [{}, 'Missing required argument: tag.name'],
    [{ tag: null }, 'Missing required argument: tag.name'],
    [{ tag: { type: 1 } }, 'Missing required argument: tag.name'],
    [{ tag: { name: 'x' } }, 'Missing required argument: tag.type'],
    [{ tag: { name: '  ', type: 1 } }, 'tag.name: must be 1 to 255 characters'],
    [{ tag: { name: 'x', type: 8 } }, 'tag.type: must be 1 to 7'],
    [{ tag: 'x' }, 'tag: must be an object'],
  ])('requires a tag with a name and a type: %#', (request, text) => expect(textOf(api.addTag, request)).toBe(text));
});

describe('deleteTag (R-ER2)', () => {
  it.each([
    [{}, 'Missing required argument: tag.name'],
    [{ tag: null }, 'Missing required argument: tag.name'],
    [{ tag: {} }, 'Missing required argument: tag.name'],
    [{ tag: 'x' }, 'tag: must be an object'],
  ])('requires a tag with a name: %#', (request, text) => expect(textOf(api.deleteTag, request)).toBe(text));
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
  ])('refuses an invalid configuration: %#', (request, text) =>
    expect(textOf(api.configureApplication, request)).toMatch(text),
  );

  it('requires base64 key files, and not the other fields of a key (R-A2)', () => {
    const ios = api.configureApplication.examples[0]!.request;
    expect(textOf(api.configureApplication, { ...ios, ios_key_file: '#' })).toBe('ios_key_file: must be base64');
    expect(textOf(api.configureApplication, { ...ios, ios_key_file: '' })).toBe('ios_key_file: must not be empty');
    expect(textOf(api.configureApplication, { ...ios, ios_key_id: null, ios_team_id: null })).toBeUndefined();
  });
});

describe('language (R-RES4)', () => {
  const number = { application: 'a', number: '+4915112345678' };

  it.each([
    [api.applicationOpen, { application: 'a', hwid: 'x' }, undefined],
    [api.registerSmsNumber, number, undefined],
    [api.registerWhatsappNumber, number, undefined],
    [api.multiRegisterDevice, { application: 'a', email: 'a@example.com' }, undefined],
    [api.registerEmail, { application: 'a', email: 'a@example.com' }, 'language: must be a two-letter code'],
    [
      api.createTestDevice,
      { application: 'a', name: 'x', device_type: 3, push_token: 't' },
      'language: must be a two-letter code',
    ],
  ])('is ignored in calls of devices only if it is invalid: %#', (method: Method, request, text) => {
    for (const language of ['', 'English']) expect(textOf(method, { ...request, language })).toBe(text);
    expect(textOf(method, { ...request, language: 'de-AT' })).toBeUndefined();
  });
});

describe('setBadge (R-C9)', () => {
  const badged = { application: 'a', hwid: 'x' };

  it('accepts the number as badge, or as badges', () => {
    expect(api.setBadge.parse({ ...badged, badge: 3 })).toMatchObject({ badge: 3 });
    expect(api.setBadge.parse({ ...badged, badges: '4' })).toMatchObject({ badge: 4 });
    expect(api.setBadge.parse({ ...badged, badge: 0, badges: 4 })).toMatchObject({ badge: 0 });
    expect(textOf(api.setBadge, badged)).toBe('Missing required argument: badge');
    expect(textOf(api.setBadge, { ...badged, badges: -1 })).toBe('badges: must be 0 to 2147483647');
  });
});

describe('numbers (R-C2)', () => {
  it('are accepted in every spelling, and stored in one', () => {
    const hwidOf = (method: Method, number: unknown): unknown =>
      (method.parse({ application: 'a', number }) as { hwid: string }).hwid;
    for (const number of ['+4915112345678', '4915112345678', 4915112345678, '+49 (151) 123-45678']) {
      expect(hwidOf(api.registerSmsNumber, number)).toBe('+4915112345678');
      expect(hwidOf(api.registerWhatsappNumber, number)).toBe('whatsapp:+4915112345678');
      const both = { sms_phone_number: number, whatsapp_phone_number: `whatsapp:${number}` };
      const { devices } = api.multiRegisterDevice.parse({ application: 'a', ...both });
      expect(devices.map(({ hwid }) => hwid)).toEqual(['+4915112345678', 'whatsapp:+4915112345678']);
    }
  });
});

describe('multiRegisterDevice (R-X3)', () => {
  const tagsFor = (tags: unknown) =>
    api.multiRegisterDevice.parse({ application: 'a', email: 'a@example.com', tags }).devices[0]!.device.tags;

  it('accepts operations by number as setTags does by word', () => {
    expect(
      tagsFor({
        a: { operation: 0, value: 'x' },
        b: { operation: '1', values: ['x'] },
        c: { operation: 2, value: ['x'] },
        d: { operation: 3, value: 4 },
        e: { operation: 'append', value: ['x'] },
        f: 5,
        g: null,
        h: { operation: 0, values: [1, 2] },
      }),
    ).toEqual({
      a: 'x',
      b: { operation: 'append', value: ['x'] },
      c: { operation: 'remove', value: ['x'] },
      d: { operation: 'increment', value: 4 },
      e: { operation: 'append', value: ['x'] },
      f: 5,
      g: null,
      h: [1, 2],
    });
  });

  it('takes the operand from values if value is null (R-ER7)', () => {
    const values = { value: null, values: ['x'] };
    expect(tagsFor({ a: { operation: 1, ...values }, b: { operation: 0, ...values } })).toEqual({
      a: { operation: 'append', value: ['x'] },
      b: ['x'],
    });
    expect(tagsFor({ a: { operation: 0, value: null } })).toEqual({ a: null });
  });

  it('leaves an object without an operation to the registration, which skips it (R-C3, R-ER7)', () => {
    const tags = { a: { operation: null, value: 1 }, b: { value: 1 } };
    expect(tagsFor(tags)).toEqual(tags);
  });

  it.each([4, -1, 1.5, true])('refuses operation %j with its path', (operation) => {
    const request = { application: 'a', email: 'a@example.com', tags: { Level: { operation, value: 1 } } };
    expect(textOf(api.multiRegisterDevice, request)).toMatch(/^tags\.Level\.operation: must be /);
  });
});

describe('tags that are not an object', () => {
  const request = { application: 'a', email: 'a@example.com', number: '+4915112345678' };

  it.each([
    [api.registerDevice, { ...device, ...request }],
    [api.multiRegisterDevice, request],
    [api.registerSmsNumber, request],
    [api.registerWhatsappNumber, request],
    [api.registerEmail, request],
  ])('are ignored in a registration: %# (R-C3)', (method: Method, registration) => {
    const untagged = method.parse(registration);
    for (const tags of [[], ['x'], 'x', 5, true]) expect(method.parse({ ...registration, tags })).toEqual(untagged);
  });

  it.each([
    [api.setTags, { ...device, tags: [] }, 'tags: must be an object'],
    [api.setEmailTags, { ...request, tags: [] }, 'tags: must be an object'],
    [
      api.bulkRegisterDevice,
      { ...request, devices: [{ hwid: 'x', push_token: 'y', platform: 3, tags: [] }] },
      'devices[0].tags: must be an object',
    ],
  ])('are refused if the request has only tags, and in jobs: %#', (method: Method, given, text) =>
    expect(textOf(method, given)).toBe(text),
  );
});

describe('country and city (R-RES17)', () => {
  const place = { country: 'de', city: 'Berlin' };
  const email = { application: 'a', email: 'a@example.com' };

  it.each([
    [api.registerDevice, device],
    [api.registerSmsNumber, { application: 'a', number: '+4915112345678' }],
    [api.registerWhatsappNumber, { application: 'a', number: '+4915112345678' }],
    [api.registerEmail, email],
    [api.registerEmailUser, { ...email, userId: 'u' }],
  ])('are accepted by every method that registers: %#', (method: Method, request) => {
    expect(method.parse({ ...request, ...place })).toMatchObject({ device: { country: 'DE', city: 'Berlin' } });
  });

  it('are applied to all devices together, and in bulk', () => {
    const { devices } = api.multiRegisterDevice.parse({ ...email, ...place });
    expect(devices[0]!.device).toMatchObject({ country: 'DE', city: 'Berlin' });
    const entry = { hwid: 'x', push_token: 't', platform: 3, ...place };
    const bulk = api.bulkRegisterDevice.parse({ application: 'a', devices: [entry] });
    expect(bulk.devices[0]).toMatchObject({ country: 'DE', city: 'Berlin' });
  });
});

describe('a web push subscription (R-RES2)', () => {
  const subscription = { ...device, device_type: 11, push_token: 'https://push.example/1' };

  it.each([
    [{ public_key: 'BNcRd_-9+/w=', auth_token: 'tBHI' }, undefined],
    [{ public_key: '' }, undefined],
    [{ public_key: 'not base64!' }, 'public_key: must be base64'],
    [{ auth_token: 'A' }, 'auth_token: must be base64'],
    [{ push_token: '' }, undefined],
    [{ push_token: 'token' }, "push_token: must be the address of a subscription's endpoint"],
    [{ push_token: 'ftp://push.example/1' }, "push_token: must be the address of a subscription's endpoint"],
    [{ push_token: 'token', device_type: 3 }, undefined],
  ])('has an endpoint and keys in base64: %j', (more, text) => {
    expect(textOf(api.registerDevice, { ...subscription, ...more })).toBe(text);
  });
});
