import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, type MethodName } from '@tidings/client';
import { type Parameters, platform, storedText, type StoredWorld } from '@tidings/testing';

const BLACKLISTED = 'Email address is blacklisted';
const DISPOSABLE = 'Email address belongs to a disposable domain';
const MAIL = 14;

let world: StoredWorld;
let application: string;

beforeAll(async () => {
  world = await platform();
  application = await world.application({ ios: false, android: false });
});
afterAll(() => world?.stop());

const refusal = async (name: MethodName, parameters: Parameters): Promise<string> => {
  const reply = await world.reply(name, { application, ...parameters });
  expect(reply).toMatchObject({ status: 200, body: { status_code: 210, response: null } });
  return (reply.body as { status_message: string }).status_message;
};
const exists = async (hwid: string): Promise<boolean> => (await world.call('checkDevice', { application, hwid })).exist;
const notListed = { status: 404, body: { error: { kind: 'notFound', message: 'Address is not blacklisted' } } };

type Kind = 'SetTags' | 'RegisterDevice' | 'UnregisterDevice';

const rowsOf = async (kind: Kind, devices: readonly Parameters[]) => {
  const { request_id: id } = await world.call(`bulk${kind}` as const, { application, devices });
  await world.settle();
  return (await world.call(`getBulk${kind}` as const, { request_id: id, detailed: true })).devices;
};

async function newAccount() {
  const { account } = await world.call('createAccount', { name: 'Other' });
  const [api, device] = await Promise.all(
    (['api', 'device'] as const).map((scope) => world.call('createToken', { scope, applications: 'all', account })),
  );
  const secrets = { admin: world.secrets.admin, api: api!.token, device: device!.token };
  return { account, client: new ApiClient(world.url, secrets, 2) };
}

const registrations = (email: string): readonly (readonly [MethodName, Parameters])[] => [
  ['registerEmail', { email: email.toUpperCase() }],
  ['registerEmail', { email, hwid: 'own-hwid' }],
  ['registerEmailUser', { email, userId: 'user' }],
  ['registerDevice', { device_type: MAIL, email }],
  ['registerDevice', { device_type: MAIL, hwid: email.toUpperCase() }],
  ['multiRegisterDevice', { email, push_devices: [{ hwid: 'phone', platform: 3, push_token: 't' }] }],
];

describe('the blacklist (R-E5)', () => {
  it('prevents the registration of an address until the operator removes it', async () => {
    const email = 'bounced@example.com';
    await world.call('registerEmail', { application, email, userId: 'bounced' });
    const listed = await world.call('blacklistAddress', { address: 'Bounced@Example.com' });
    expect(listed).toEqual({ address: email, blacklisted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) });
    await world.advance(60);
    expect(await world.call('blacklistAddress', { address: email })).toEqual(listed);
    const { suppressions } = await world.call('listSuppressions', { reason: 'blacklist', limit: 1 });
    expect(suppressions).toMatchObject([{ ...listed, complained_at: null }]);
    expect(await world.call('getBlacklisted', { address: 'BOUNCED@example.com' })).toEqual(listed);

    for (const [name, parameters] of registrations(email)) expect(await refusal(name, parameters)).toBe(BLACKLISTED);
    expect([await exists('own-hwid'), await exists('phone')]).toEqual([false, false]);
    // The existing contact remains and can be tagged.
    expect(await exists(email)).toBe(true);
    expect(await world.call('setEmailTags', { application, email, tags: {} })).toEqual({ skipped: [] });

    expect(await world.reply('clearAddress', { address: 'BOUNCED@example.com' })).toMatchObject({ status: 204 });
    for (const name of ['getBlacklisted', 'clearAddress'] as const) {
      expect(await world.reply(name, { address: email })).toMatchObject(notListed);
    }
    for (const [name, parameters] of registrations(email)) await world.call(name, { application, ...parameters });
    expect([await exists('own-hwid'), await exists('phone')]).toEqual([true, true]);
  });

  it('answers a repeat with its key as it answered the first call', async () => {
    const request = { application, email: 'repeated@example.com' };
    const register = (key: string) =>
      world.client.http.send('/json/1.3/registerEmail', {
        method: 'POST',
        headers: { authorization: `Token ${world.secrets.device}`, 'idempotency-key': key },
        body: { request },
      });
    expect(await register('first')).toMatchObject({ body: { status_code: 200 } });
    await world.call('blacklistAddress', { address: request.email });
    expect(await register('first')).toMatchObject({ body: { status_code: 200 } });
    expect(await register('second')).toMatchObject({ body: { status_code: 210, status_message: BLACKLISTED } });
  });

  it('belongs to one account', async () => {
    const address = 'shared@example.com';
    const { account, client: other } = await newAccount();
    try {
      const { application: theirs } = await other.call('createApplication', { title: 'Theirs' });
      await world.call('blacklistAddress', { address, account });
      expect(await world.reply('getBlacklisted', { address })).toMatchObject(notListed);
      await world.call('registerEmail', { application, email: address });
      expect(await other.reply('registerEmail', { application: theirs, email: address })).toMatchObject({
        body: { status_code: 210, status_message: BLACKLISTED },
      });
      expect(await world.reply('clearAddress', { address })).toMatchObject(notListed);
      expect(await world.reply('clearAddress', { address, account })).toMatchObject({ status: 204 });
      await other.call('registerEmail', { application: theirs, email: address });
    } finally {
      other.close();
    }
    for (const name of ['getBlacklisted', 'blacklistAddress', 'clearAddress'] as const) {
      const reply = await world.reply(name, { address, account: 'nobody' });
      expect(reply).toMatchObject({ status: 404, body: { error: { kind: 'notFound' } } });
    }
  });

  it('stores addresses by hash only', async () => {
    await world.call('blacklistAddress', { address: 'c4n4ry-blacklisted@example.com' });
    await world.settle();
    expect(await storedText(world.mongoUrl, 'c4n4ry-blacklisted')).toEqual([]);
  });

  it.each([
    ['anna', 'Email address has invalid count of parts'],
    ['anna@example', 'Email address has invalid domain part'],
    ['a b@example.com', 'Email address is invalid or has invalid semantic'],
  ])('refuses %j', async (address, message) => {
    expect(await world.reply('blacklistAddress', { address })).toMatchObject({
      status: 400,
      body: { error: { kind: 'argument', message } },
    });
  });
});

describe('complaints (R-E14, R-T8)', () => {
  const none = { status: 404, body: { error: { kind: 'notFound', message: 'Address has no complaint' } } };

  it('are stored with the time of the first one until the operator clears them, beside the blacklist', async () => {
    const address = 'spam@example.com';
    expect(await world.reply('getComplaint', { address })).toMatchObject(none);
    expect(await world.reply('clearComplaint', { address })).toMatchObject(none);
    const complaint = await world.call('recordComplaint', { address: 'Spam@Example.com' });
    expect(complaint).toEqual({ address, complained_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) });
    await world.advance(60);
    expect(await world.call('recordComplaint', { address })).toEqual(complaint);
    expect(await world.call('getComplaint', { address: 'SPAM@example.com' })).toEqual(complaint);
    await world.call('blacklistAddress', { address });
    expect(await world.reply('clearComplaint', { address })).toMatchObject({ status: 204 });
    expect(await world.reply('getComplaint', { address })).toMatchObject(none);
    expect(await world.call('getBlacklisted', { address })).toMatchObject({ address });
    await world.call('recordComplaint', { address });
    await world.call('clearAddress', { address });
    expect(await world.call('getComplaint', { address })).toMatchObject({ address });
  });

  it('belong to one account, and are stored by hash only', async () => {
    const address = 'c4n4ry-complaint@example.com';
    const { account, client: other } = await newAccount();
    other.close();
    await world.call('recordComplaint', { address, account });
    expect(await world.reply('getComplaint', { address })).toMatchObject(none);
    expect(await world.call('getComplaint', { address, account })).toMatchObject({ address });
    await world.settle();
    expect(await storedText(world.mongoUrl, 'c4n4ry-complaint')).toEqual([]);
    for (const name of ['getComplaint', 'recordComplaint', 'clearComplaint'] as const) {
      expect(await world.reply(name, { address, account: 'nobody' })).toMatchObject({ status: 404 });
      expect(await world.reply(name, { address: 'anna' })).toMatchObject({
        status: 400,
        body: { error: { kind: 'argument' } },
      });
    }
  });

  it('are accessible to operators only', async () => {
    const path = '/admin/v1/complaints/spam@example.com';
    for (const token of ['', world.secrets.api]) {
      const reply = await world.client.http.send(path, { headers: { authorization: `Bearer ${token}` } });
      expect(reply).toMatchObject({ status: 401, body: { error: { kind: 'unauthorized' } } });
    }
  });
});

describe('an address in another case (R-E1)', () => {
  const hwid = 'Anna@Example.com';
  const own = 'anna@example.com';

  beforeAll(() => world.call('addTag', { tag: { name: 'Level', type: 1 } }));

  it('names its contact in every method with a hwid', async () => {
    await world.call('registerDevice', { application, device_type: MAIL, hwid });
    await world.call('setTags', { application, hwid, tags: { Level: 5 } });
    expect((await world.call('getTags', { application, hwid: hwid.toUpperCase() })).result).toMatchObject({ Level: 5 });
    expect(await exists(hwid)).toBe(true);
    const entries = [
      { hwid, tags: { Level: 6 } },
      { push_token: hwid, tags: {} },
    ];
    expect(await rowsOf('SetTags', entries)).toEqual([
      { hwid: own, status: 'done', tags: { Level: 'ok' } },
      { hwid: own, push_token: hwid, status: 'done', tags: {} },
    ]);
    const devices = [hwid, hwid.toUpperCase(), 'Nobody@Example.com'];
    expect(
      await world.call('createMessage', { application, notifications: [{ content: 'Hello', devices }] }),
    ).toMatchObject({ UnknownDevices: { CODE_NOT_AVAILABLE: ['Nobody@Example.com'] } });
    expect(await rowsOf('UnregisterDevice', [{ hwid }, { hwid: 'Nobody@Example.com' }])).toEqual([
      { hwid: own, status: 'done' },
      { hwid: 'Nobody@Example.com', status: 'not found' },
    ]);
    await world.call('unregisterDevice', { application, hwid });
    await world.call('deleteDevice', { application, hwid });
    expect(await exists(own)).toBe(false);
  });

  it('is another hwid if it is not an e-mail address', async () => {
    await world.call('registerDevice', { application, device_type: 3, hwid: 'phone@home', push_token: 'home' });
    expect(await exists('Phone@Home')).toBe(false);
    await world.call('registerDevice', { application, device_type: MAIL, hwid: 'tablet@example.com' });
    await world.call('registerDevice', {
      application,
      device_type: 3,
      hwid: 'Tablet@example.com',
      push_token: 'tablet',
    });
    await world.call('deleteDevice', { application, hwid: 'Tablet@example.com' });
    expect(await exists('tablet@example.com')).toBe(true);
  });
});

describe('a contact with a hwid of its own (R-E1)', () => {
  it('is updated by registerEmail and registerEmailUser', async () => {
    await world.call('registerDevice', { application, device_type: MAIL, hwid: 'crm-1', email: 'Own@example.com' });
    await world.call('registerEmail', { application, email: 'own@Example.com', language: 'de' });
    await world.call('registerEmailUser', { application, email: 'own@example.com', userId: 'owner' });
    expect(await exists('own@example.com')).toBe(false);
    expect((await world.call('getTags', { application, userId: 'owner' })).result).toMatchObject({ Language: 'de' });
    expect((await world.call('getTags', { application, hwid: 'crm-1' })).result).toMatchObject({ Language: 'de' });
  });

  it('is updated by multiRegisterDevice', async () => {
    const email = 'multi-own@example.com';
    await world.call('registerDevice', { application, device_type: MAIL, hwid: 'crm-multi', email });
    await world.call('multiRegisterDevice', { application, email, user_id: 'multi-owner', language: 'de' });
    expect(await exists(email)).toBe(false);
    expect((await world.call('getTags', { application, hwid: 'crm-multi' })).result).toMatchObject({ Language: 'de' });
  });

  it('keeps the address that it has taken from the contact with the address as hwid', async () => {
    const email = 'moved@example.com';
    await world.call('registerEmail', { application, email });
    await world.call('registerEmail', { application, email, hwid: 'crm-moved', userId: 'mover' });
    await world.settle();
    await world.call('registerEmail', { application, email, language: 'de' });
    await world.call('registerEmailUser', { application, email, userId: 'moved' });
    await world.settle();
    const [own, former] = await Promise.all(
      ['crm-moved', email].map((hwid) => world.call('checkDevice', { application, hwid })),
    );
    expect([own, former]).toMatchObject([{ push_token_exist: true }, { push_token_exist: false }]);
    expect((await world.call('getTags', { application, userId: 'moved' })).result).toMatchObject({ Language: 'de' });
    // No trace of the address stays behind.
    await world.call('deleteEmail', { application, email });
    expect([await exists('crm-moved'), await exists(email)]).toEqual([false, false]);
  });
});

describe('bulkRegisterDevice (R-G5)', () => {
  it('refuses entries that registerDevice refuses, one by one', async () => {
    await world.call('blacklistAddress', { address: 'bulk@example.com' });
    const mail = { push_token: '', platform: MAIL };
    const rows = await rowsOf('RegisterDevice', [
      { ...mail, hwid: 'CRM-2', push_token: 'Crm@example.com' },
      { ...mail, hwid: 'bulk@example.com' },
      { ...mail, hwid: 'CRM-3', push_token: 'Bulk@example.com' },
      { ...mail, hwid: 'no address' },
      { ...mail, hwid: 'anna@yopmail.com' },
      { hwid: 'phone-2', push_token: 't-2', platform: 3 },
    ]);
    expect(rows!.map(({ status }) => status)).toEqual(['done', 'failed', 'failed', 'failed', 'failed', 'done']);
    expect(await Promise.all(['CRM-2', 'crm-2', 'bulk@example.com', 'CRM-3'].map(exists))).toEqual([
      ...[true, false, false, false],
    ]);
  });
});

describe('disposable domains (R-E4)', () => {
  it('are those of the shipped list, with their subdomains', async () => {
    for (const [name, parameters] of registrations('anna@mx.yopmail.com')) {
      expect(await refusal(name, parameters)).toBe(DISPOSABLE);
    }
  });

  it('may be the domains of senders (R-E2)', async () => {
    const address = 'news@yopmail.com';
    const sender = { email_from_email: address, email_from_name: 'News', email_reply: address };
    await world.call('configureApplication', { application, device_type: MAIL, ...sender });
  });
});

describe('senders (R-A5)', () => {
  it('need no verification, unless the operator requires it', async () => {
    const configure = (from: string, reply: string) => {
      const sender = { email_from_email: from, email_from_name: 'News', email_reply: reply };
      return world.reply('configureApplication', { application, device_type: MAIL, ...sender });
    };
    const refused = (field: string) => ({
      status: 200,
      body: { status_code: 210, status_message: `${field}: address is not verified`, response: null },
    });
    expect(await configure('any@example.com', 'any@example.com')).toMatchObject({ body: { status_code: 200 } });
    const set = await world.call('setSenders', { required: true, verified: ['News@example.com', 'news@example.com'] });
    expect(set).toEqual({ required: true, verified: ['news@example.com'] });
    expect(await configure('any@example.com', 'news@example.com')).toMatchObject(refused('email_from_email'));
    expect(await configure('NEWS@example.com', 'any@example.com')).toMatchObject(refused('email_reply'));
    expect(await configure('NEWS@example.com', 'news@example.com')).toMatchObject({ body: { status_code: 200 } });
    await world.call('setSenders', { required: false, verified: [] });
    expect(await configure('any@example.com', 'any@example.com')).toMatchObject({ body: { status_code: 200 } });
  });

  it.each([
    [{ verified: [] }, 'required is required'],
    [{ required: true, verified: ['news'] }, 'verified[0]: Email address has invalid count of parts'],
  ])('are refused: %j', async (parameters, message) => {
    expect(await world.reply('setSenders', parameters)).toMatchObject({
      status: 400,
      body: { error: { kind: 'argument', message } },
    });
  });
});

describe('an account for e-mail only (R-E3)', () => {
  it('registers e-mail contacts only', async () => {
    const { account, client } = await newAccount();
    try {
      const { application: theirs } = await client.call('createApplication', { title: 'Mail' });
      // Puts the unchanged application into the gateway's cache.
      await client.call('checkDevice', { application: theirs, hwid: 'phone' });
      expect(await world.call('setPlan', { account, email_only: true })).toEqual({ email_only: true });
      const phone = { hwid: 'phone', device_type: 3, push_token: 't' };
      for (const [name, parameters] of [
        ['registerDevice', phone],
        ['registerSmsNumber', { number: '+4915112345678' }],
        ['registerWhatsappNumber', { number: '+4915112345678' }],
        ['multiRegisterDevice', { email: 'anna@example.com', sms_phone_number: '+4915112345678' }],
      ] as const) {
        expect([name, await client.reply(name, { application: theirs, ...parameters })]).toMatchObject([
          name,
          {
            status: 200,
            body: {
              status_code: 210,
              status_message: 'Only email platform is allowed for email-only subscription',
              response: null,
            },
          },
        ]);
      }
      const devices = [{ ...phone, platform: 3 }];
      const { request_id: id } = await client.call('bulkRegisterDevice', { application: theirs, devices });
      await world.settle();
      const result = await client.call('getBulkRegisterDevice', { request_id: id, detailed: true });
      expect(result).toMatchObject({ status: 'Completed', devices: [{ hwid: 'phone', status: 'failed' }] });
      const isThere = { application: theirs, hwid: 'anna@example.com' };
      expect(await client.call('checkDevice', isThere)).toMatchObject({ exist: false });
      for (const [name, parameters] of [
        ['registerDevice', { device_type: MAIL, email: 'anna@example.com' }],
        ['registerEmail', { email: 'anna@example.com' }],
        ['registerEmailUser', { email: 'anna@example.com', userId: 'anna' }],
        ['multiRegisterDevice', { email: 'anna@example.com' }],
      ] as const) {
        await client.call(name, { application: theirs, ...parameters });
      }
      expect(await client.call('checkDevice', isThere)).toMatchObject({ exist: true });
    } finally {
      client.close();
    }
    expect(await world.reply('setPlan', { account: 'nobody', email_only: true })).toMatchObject({ status: 404 });
  });
});
