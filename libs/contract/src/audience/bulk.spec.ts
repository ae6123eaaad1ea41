import { Fault } from '@tidings/kernel';
import { api } from '../api.ts';

const entryOf = (device: Readonly<Record<string, unknown>>) =>
  api.bulkRegisterDevice.parse({ application: 'A1B2C-3D4E5', devices: [device] }).devices[0]!;

describe('bulkRegisterDevice', () => {
  it.each([
    [{ hwid: 'CRM-1', push_token: 'Anna@Example.com' }, 'CRM-1', 'anna@example.com', 14],
    [{ hwid: 'Anna@Example.com', push_token: '' }, 'anna@example.com', 'anna@example.com', 14],
    [{ hwid: 'CRM-1', push_token: '' }, 'CRM-1', 'crm-1', 0],
    [{ hwid: 'CRM-1', push_token: 'a@example' }, 'CRM-1', 'a@example', 0],
    [{ hwid: 'Phone@Home', push_token: 'AB', platform: 3 }, 'Phone@Home', 'AB', 3],
    [{ hwid: '49 151 12345678', push_token: '', platform: 18 }, '+4915112345678', '', 18],
    [{ hwid: '+4915112345678', push_token: '', platform: 21 }, 'whatsapp:+4915112345678', '', 21],
    [{ hwid: '0151', push_token: '', platform: 18 }, '0151', '', 18],
    [{ hwid: 'phone', push_token: 't', platform: -1 }, 'phone', 't', 0],
    [{ hwid: 'phone', push_token: 't', platform: 2 ** 32 + 3 }, 'phone', 't', 0],
  ])('reads hwid, token and platform of an entry: %j', (device, hwid, newPushToken, platform) =>
    expect(entryOf({ platform: 14, ...device })).toMatchObject({
      identifier: { $case: 'hwid', value: hwid },
      newPushToken,
      platform,
    }),
  );

  it.each([
    [3, 4096],
    [11, 2048, 'https://push.example/a'],
  ])(
    'fails only the entry of platform %i whose token has more than %i bytes (R-LM6, R-G5)',
    (platform, limit, start = '') => {
      const fits = `${start}${'é'.repeat((limit - start.length) / 2)}`;
      const device = { hwid: 'phone', platform, public_key: 'BNcRd_9w', auth_token: 'tBHI' };
      expect(entryOf({ ...device, push_token: fits })).toMatchObject({ platform, newPushToken: fits });
      // Tokens that are not registered need not travel.
      for (const longer of [`${fits}x`, 'x'.repeat(65_536), 'x'.repeat(65_537)]) {
        expect(entryOf({ ...device, push_token: longer })).toMatchObject({
          platform: 0,
          newPushToken: '',
        });
      }
    },
  );

  it('fails only the entry whose address is too long', () => {
    const address = `${'x'.repeat(65_537)}@example.com`;
    expect(entryOf({ hwid: 'phone', platform: 14, push_token: address })).toMatchObject({
      platform: 0,
      newPushToken: '',
    });
  });
});

describe('the details of a registration (R-G5)', () => {
  const phone = { hwid: 'phone', push_token: 't', platform: 3 };
  const browser = { hwid: 'browser', push_token: 'https://push.example/a', platform: 11 };
  const keys = { public_key: 'BNcRd_9w', auth_token: 'tBHI' };
  const noKeys = 'public_key: must be set with auth_token, or fcm_token instead';

  it('are those of registerDevice', () => {
    const given = {
      ...{ language: 'en-GB', timezone: '3600', app_version: '1.2', device_model: 'Pixel 8', os_version: 14 },
      ...{ idfa: 'i', ...keys, fcm_token: 'f', fcm_push_set: 's' },
    };
    const request = { application: 'a', hwid: 'x', device_type: 3, ...given, userId: 'u' };
    const { adoptByToken, ...details } = entryOf({ ...phone, ...given, user_id: 'u' }).details!;
    expect(adoptByToken).toBeUndefined();
    expect(details).toMatchObject({ language: 'en', timezoneSeconds: 3600, userId: 'u' });
    expect(api.registerDevice.parse(request).device).toMatchObject(details);
  });

  it('tell whether the tags follow the token', () => {
    expect(entryOf({ ...phone, adopt_by_token: 'true' })).toMatchObject({ details: { adoptByToken: true } });
    expect(entryOf({ ...phone, adopt_by_token: 2 })).toMatchObject({ fault: 'adopt_by_token: must be a boolean' });
  });

  it.each([{}, { language: null, user_id: null }])('are absent if none is given: %j', (given) =>
    expect(entryOf({ ...phone, ...given })).toMatchObject({ platform: 3, details: undefined, fault: undefined }),
  );

  it.each([
    [{ ...phone, timezone: 'x' }, 'timezone: must be an integer'],
    [{ ...phone, timezone: 90_000 }, 'timezone: must be -43200 to 50400'],
    [{ ...phone, user_id: '' }, 'user_id: must be 1 to 255 characters'],
    [{ ...phone, app_version: {} }, 'app_version: must be a string'],
    [{ ...phone, public_key: 'not base64!' }, 'public_key: must be base64'],
    [{ ...phone, platform: 99 }, 'platform: unknown platform'],
    [{ ...phone, push_token: 'x'.repeat(4097) }, 'push_token: must have up to 4096 bytes'],
    [{ ...phone, platform: 14, email: 'anna' }, 'Email address has invalid count of parts'],
    [browser, noKeys],
    [{ ...browser, ...keys, auth_token: 'no base64!' }, 'auth_token: must be base64'],
    [{ ...browser, public_key: keys.public_key }, noKeys],
    [{ ...browser, ...keys, public_key: '' }, noKeys],
  ])('fail the entry with a reason: %j', (device, fault) =>
    expect(entryOf(device)).toMatchObject({ platform: 0, fault }),
  );

  it.each([
    [{ ...browser, ...keys }, 11],
    [{ ...browser, fcm_token: 'f' }, 11],
    [{ ...browser, push_token: '' }, 11],
    [{ ...phone, language: 'klingon' }, 3],
  ])('register the entry: %j', (device, platform) =>
    expect(entryOf(device)).toMatchObject({ platform, fault: undefined }),
  );

  it('name the address of a contact', () =>
    expect(entryOf({ hwid: 'crm-1', push_token: '', platform: 14, email: 'Anna@Example.com' })).toMatchObject({
      identifier: { value: 'crm-1' },
      newPushToken: 'anna@example.com',
      platform: 14,
    }));
});

describe('a request for the result of a job', () => {
  const isDetailed = (detailed?: string) => api.getBulkSetTags.parse({ request_id: 'x', detailed }).detailed;

  it.each([
    ['true', true],
    ['True', true],
    ['1', true],
    ['FALSE', false],
    ['0', false],
    ['', false],
    [undefined, false],
  ])('reads the boolean %j as %s', (given, taken) => expect(isDetailed(given)).toBe(taken));

  it('refuses other values', () => {
    expect(() => isDetailed('maybe')).toThrow(Fault.argument('detailed: must be a boolean'));
  });

  it('names no application, so that its existence stays hidden (R-T5)', () => {
    expect(api.getBulkSetTags.application({ request_id: 'r', application: 'A1B2C-3D4E5' })).toBeUndefined();
    expect(api.bulkSetTags.application({ application: 'A1B2C-3D4E5' })).toBe('A1B2C-3D4E5');
  });
});

describe('a request that is validated in parts', () => {
  const outcomeOf = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (thrown) {
      return thrown;
    }
  };
  const inSteps = <Input>(steps: Generator<void, Input>): { readonly input: Input; readonly count: number } => {
    for (let count = 1; ; count++) {
      const step = steps.next();
      if (step.done === true) return { input: step.value, count };
    }
  };
  const application = 'A1B2C-3D4E5';
  const devices = (count: number, wrong?: number) =>
    Array.from({ length: count }, (_, i) => ({ hwid: i === wrong ? [] : `h${i}` }));

  it.each([
    ['a part', devices(3)],
    ['many parts', devices(1_001)],
    ['a wrong entry', devices(1_001, 777)],
    ['too many entries', devices(50_001)],
    ['no list', 7],
    ['no entry', []],
  ])('has the same outcome: %s', (_, list) => {
    const request = { application, devices: list };
    const method = api.bulkUnregisterDevice;
    expect(outcomeOf(() => inSteps(method.steps!(request)).input)).toEqual(outcomeOf(() => method.parse(request)));
  });

  it('has the same outcome for messages, too', () => {
    const notifications = Array.from({ length: 7 }, (_, i) => ({ send_date: 'now', content: `${i}` }));
    const request = { application, auth: 'x', notifications };
    const { input, count } = inSteps(api.createMessage.steps!(request));
    expect(input).toEqual(api.createMessage.parse(request));
    expect(count).toBe(5);
    const wrong = { ...request, notifications: notifications.with(5, { send_date: 'never', content: 'x' }) };
    expect(outcomeOf(() => inSteps(api.createMessage.steps!(wrong)))).toEqual(
      outcomeOf(() => api.createMessage.parse(wrong)),
    );
  });
});
