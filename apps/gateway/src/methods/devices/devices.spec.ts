import { ReportKind, Reports } from '@tidings/events';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

const token = { authorization: 'Token device' };
const phone = { application: APPLICATION, hwid: 'phone-1' };
const hash = 'P_423M_lQlKFY_bEL-4nm3p4-4bbkUN';
const done = { status: 200, body: { status_code: 200, status_message: 'OK', response: null } };
const notFound = { status: 200, body: { status_code: 210, status_message: 'Device not found', response: null } };
const unlucky = { kind: 'unavailable', text: 'store does not answer' };

let world: World;
let client: Client;
beforeAll(async () => {
  world = new World();
  world.faults.set('nobody', { kind: 'argument', text: 'Device not found' });
  world.faults.set('unlucky', unlucky);
  client = await openClient(world);
});
afterAll(() => client.close());
beforeEach(() => {
  world.commands.length = 0;
  world.records.length = 0;
});

describe('device commands', () => {
  it.each([
    [
      'registerDevice',
      { ...phone, device_type: '3', push_token: 'tok', tags: { Level: 5 } },
      { $case: 'register', value: { platform: 3, pushToken: 'tok', tags: { Level: 5 } } },
    ],
    ['unregisterDevice', phone, { $case: 'unregister' }],
    ['setTags', { ...phone, tags: { Level: null } }, { $case: 'setTags', value: { tags: { Level: null } } }],
    ['applicationOpen', { ...phone, language: 'de' }, { $case: 'open', value: { language: 'de' } }],
  ])('reach the registry as %s describes them', async (name, request, command) => {
    expect(await client.json13(name, request, token)).toMatchObject({ body: { status_code: 200 } });
    expect(world.commands).toMatchObject([
      { account: 'a', application: APPLICATION, hwid: 'phone-1', userId: '', idempotencyKey: '', command },
    ]);
  });

  it.each([
    ['setTags', { tags: {} }],
    ['applicationOpen', {}],
    ['registerUser', { userId: 'u' }],
  ])('name the push platform of a device that may be unknown, for %s (R-C7)', async (name, more) => {
    for (const device_type of ['11', 14, undefined]) {
      await client.json13(name, { ...phone, ...more, device_type }, token);
    }
    expect(world.commands.map(({ platform }) => platform)).toEqual([11, undefined, undefined]);
  });

  it('may address a user, but the hwid prevails (R-C6)', async () => {
    await client.json13('setTags', { application: APPLICATION, userId: 'u', tags: {} }, token);
    await client.json13('setTags', { ...phone, userId: 'u', tags: {} }, token);
    expect(world.commands).toMatchObject([
      { hwid: '', userId: 'u' },
      { hwid: 'phone-1', userId: '' },
    ]);
  });

  it.each(['https://10.0.0.1/x', 'https://[::1]/x', 'http://localhost/x', 'http://2130706433/x'])(
    'register no web push endpoint in a private network: %s (R-RES2)',
    async (push_token) => {
      const fault = {
        body: {
          status_code: 210,
          status_message: expect.stringMatching(/^(push_devices\[0\]\.)?push_token: .* public address$/) as string,
        },
      };
      const test = { application: APPLICATION, name: 'x' };
      for (const [name, request] of [
        ['registerDevice', { ...phone, device_type: 11, push_token }],
        ['multiRegisterDevice', { application: APPLICATION, push_devices: [{ hwid: 'a', platform: 12, push_token }] }],
        ['createTestDevice', { ...test, device_type: 11, push_token }],
      ] as const) {
        expect(await client.json13(name, request, token)).toMatchObject(fault);
      }
      expect(world.commands).toEqual([]);
      const public_ = { ...phone, device_type: 11, push_token: 'https://push.example/1' };
      expect(await client.json13('registerDevice', public_, token)).toMatchObject(done);
    },
  );

  it.each(['http://push.example/1', 'http://93.184.216.34/x'])(
    'register no web push endpoint without encryption: %s (R-RES2)',
    async (push_token) => {
      const request = { ...phone, device_type: 11, push_token };
      expect(await client.json13('registerDevice', request, token)).toMatchObject({
        body: { status_code: 210, status_message: 'push_token: must begin with https://' },
      });
    },
  );

  it('name the device whose endpoint is refused among several (R-ER2)', async () => {
    const push_devices = [
      { hwid: 'a', platform: 11, push_token: 'https://push.example/1' },
      { hwid: 'b', platform: 12, push_token: 'https://10.0.0.1/x' },
    ];
    const request = { application: APPLICATION, email: 'anna@example.com', push_devices };
    expect(await client.json13('multiRegisterDevice', request, token)).toMatchObject({
      body: { status_code: 210, status_message: 'push_devices[1].push_token: 10.0.0.1 is not a public address' },
    });
    expect(world.commands).toEqual([]);
  });

  it('carry the Idempotency-Key (R-ER11)', async () => {
    await client.json13('setTags', { ...phone, tags: {} }, { ...token, 'idempotency-key': 'k' });
    expect(world.commands).toMatchObject([{ idempotencyKey: 'setTags/k' }]);
    const long = { ...token, 'idempotency-key': 'k'.repeat(256) };
    expect(await client.json13('setTags', { ...phone, tags: {} }, long)).toMatchObject({ body: { status_code: 210 } });
  });

  it('register up to the maximum number of devices of a request', async () => {
    const push_devices = Array.from({ length: 1_000 }, (_, i) => ({
      hwid: `phone-${i}`,
      platform: 3,
      push_token: String(i).padStart(150, 'x'),
    }));
    const request = { application: APPLICATION, push_devices };
    expect(await client.json13('multiRegisterDevice', request, token)).toMatchObject(done);
    expect(world.commands).toHaveLength(1_000);
  });

  it('are repeated with their keys after a failure left some devices of a user unregistered (R-X3)', async () => {
    const push_devices = ['unlucky', 'phone-1'].map((hwid) => ({ hwid, platform: 3 }));
    const request = { application: APPLICATION, email: 'Anna@example.com', push_devices };
    const keyed = { ...token, 'idempotency-key': 'k' };
    const hwids = ['anna@example.com', 'unlucky', 'phone-1'];
    expect(await client.json13('multiRegisterDevice', request, keyed)).toMatchObject({
      status: 500,
      headers: { 'retry-after': '5' },
    });
    expect(world.commands.map(({ hwid }) => hwid)).toEqual(hwids);
    const failed = world.commands.splice(0);
    world.faults.delete('unlucky');
    try {
      expect(await client.json13('multiRegisterDevice', request, keyed)).toMatchObject(done);
    } finally {
      world.faults.set('unlucky', unlucky);
    }
    expect(world.commands).toEqual(failed);
    expect(new Set(failed.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set(['multiRegisterDevice/k']));
  });

  it('answer the fault of the registry (R-C7)', async () => {
    const nobody = { application: APPLICATION, hwid: 'nobody' };
    expect(await client.json13('unregisterDevice', nobody, token)).toMatchObject(done);
    expect(await client.json13('setBadge', { ...nobody, badge: 1 }, token)).toMatchObject(notFound);
    expect(await client.json13('unregisterDevice', { ...nobody, hwid: 'unlucky' }, token)).toMatchObject({
      status: 500,
    });
  });

  it('leave out the response of applicationOpen (R-ER9)', async () => {
    const { body } = await client.json13('applicationOpen', phone, token);
    expect(body).toEqual({ status_code: 200, status_message: 'OK' });
  });
});

describe('getTags', () => {
  it('answers the stored tags', async () => {
    expect(await client.json13('getTags', phone, token)).toMatchObject({
      body: { response: { result: { Language: 'en', Level: 6 } } },
    });
    const { text } = await client.raw('getTags', phone, token);
    expect(text).toContain('"Serial":9223372036854775807');
    expect(await client.json13('getTags', { ...phone, hwid: 'nobody' }, token)).toMatchObject(notFound);
  });
});

describe('reports (R-C7, R-C11)', () => {
  it.each([
    ['pushStat', ReportKind.REPORT_KIND_OPENED, 1],
    ['messageDeliveryEvent', ReportKind.REPORT_KIND_DELIVERED, 0],
  ])('are published by %s', async (name, kind, opens) => {
    expect(await client.json13(name, { ...phone, hash }, token)).toMatchObject(done);
    expect(world.records.map(({ value }) => Reports.decode(value))).toMatchObject([
      { kind, message: 'AF0B-EEFE4D5E-E445B2E9', chunk: 1, platforms: [3] },
    ]);
    expect(world.commands).toHaveLength(opens);
  });

  it.each(['pushStat', 'messageDeliveryEvent'])(
    'count nothing without a hash, and log no error, by %s',
    async (name) => {
      expect(await client.json13(name, phone, token)).toMatchObject(done);
      expect(await client.json13(name, { ...phone, hwid: 'nobody', hash }, token)).toMatchObject(done);
      expect(world.records).toEqual([]);
    },
  );

  it.each(['pushStat', 'messageDeliveryEvent'])('are refused with an invalid hash, by %s', async (name) => {
    expect(await client.json13(name, { ...phone, hash: 'x' }, token)).toMatchObject({
      body: { status_code: 210, status_message: 'hash is not valid', response: null },
    });
    expect(world.commands).toEqual([]);
  });

  it.each([
    ['a message that does not exist', 'P_423M_lQlKFY_bEL-4nm3p4-4bbkUM'],
    ['another device', `${hash}_000000000010`],
  ])('have no effect, and do not update the last use, with the hash of %s', async (_, forged) => {
    for (const name of ['pushStat', 'messageDeliveryEvent']) {
      expect(await client.json13(name, { ...phone, hash: forged }, token)).toMatchObject(done);
    }
    expect([world.records, world.commands]).toEqual([[], []]);
  });

  it('fail if they cannot be published', async () => {
    expect(await client.json13('pushStat', { ...phone, hwid: 'unlucky' }, token)).toMatchObject({ status: 500 });
  });
});
