import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MethodName } from '@tidings/client';
import {
  funnelFigures,
  modeUnderTest,
  type Parameters,
  platform,
  storedText,
  type StoredWorld,
  untilDone,
} from '@tidings/testing';
import { inboxAccessFeatures } from './inbox-access.features.ts';
import { testDeviceFeatures } from './test-devices.features.ts';

const IOS = 1;
const ANDROID = 3;
/** All personal data contains it: a search finds every remaining copy. */
const CANARY = 'c4n4ry';

let world: StoredWorld;
let application: string;
let sibling: string;
beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  application = await world.application();
  sibling = await world.application({ title: 'Sibling' });
  for (const [name, type, specific] of [
    ['Level', 1, true],
    ['Score', 6, true],
    ['Interests', 3, true],
    ['Plan', 2, true],
    ['Since', 4, true],
    ['Release', 7, true],
    ['Shared', 2, false],
  ] as const) {
    await world.call('addTag', { tag: { name, type, application_specific: specific } });
  }
});
afterAll(() => world?.stop());

const register = (hwid: string, more: Parameters = {}) =>
  world.call('registerDevice', { application, hwid, device_type: ANDROID, ...more });
const tagsOf = async (of: Parameters) => (await world.call('getTags', { application, ...of })).result;
const refusal = async (name: MethodName, parameters: Parameters): Promise<string> =>
  ((await world.reply(name, { application, ...parameters })).body as { status_message: string }).status_message;

describe('a device', () => {
  it('is reported with a push token, without one, and as missing', async () => {
    await register('checked', { push_token: 'token-of-checked' });
    const check = (hwid: string) => world.call('checkDevice', { application, hwid });
    expect(await check('checked')).toEqual({ exist: true, push_token_exist: true });
    await world.call('unregisterDevice', { application, hwid: 'checked' });
    expect(await check('checked')).toEqual({ exist: true, push_token_exist: false });
    expect(await check('nobody')).toEqual({ exist: false, push_token_exist: false });
  });

  it('may call before it registers in a browser: all calls of its first visit succeed (R-C7)', async () => {
    const visit = { application, hwid: 'first-visit', device_type: 11 };
    expect(await world.call('getConfig', { application, features: ['vapid_key'] })).toEqual({
      features: { events: [] },
    });
    expect(await world.call('unregisterDevice', visit)).toBeNull();
    expect(await world.call('checkDevice', visit)).toEqual({ exist: false, push_token_exist: false });
    const opened = await world.reply('applicationOpen', { ...visit, language: 'de-AT', app_version: '1.2' });
    expect(opened.body).toEqual({ status_code: 200, status_message: 'OK' });
    expect(await world.call('setTags', { ...visit, tags: { Level: 3 } })).toBeNull();
    expect(await world.call('registerUser', { ...visit, userId: 'visitor', tz_offset: 3600 })).toBeNull();
    expect(await world.call('checkDevice', visit)).toEqual({ exist: true, push_token_exist: false });

    const push_token = 'https://93.184.216.34/push/1';
    await world.call('registerDevice', { ...visit, push_token });
    expect(await world.call('checkDevice', visit)).toEqual({ exist: true, push_token_exist: true });
    const known = { Language: 'de', Timezone: 3600, Level: 3, 'Application Version': '1.2' };
    expect(await tagsOf({ userId: 'visitor' })).toMatchObject(known);

    for (const [name, more] of [
      ['setTags', { tags: {} }],
      ['registerUser', { userId: 'other' }],
    ] as const) {
      const hwid = `first-${name}`;
      expect(await refusal(name, { hwid, ...more })).toBe('Device not found');
      expect(await world.call(name, { ...visit, hwid, ...more })).toBeNull();
      expect(await world.call('checkDevice', { application, hwid })).toEqual({ exist: true, push_token_exist: false });
    }
    expect(await refusal('applicationOpen', { hwid: 'first-open' })).toBe('Device not found');
    expect(await refusal('setTags', { userId: 'nobody', device_type: 11, tags: {} })).toBe('User not found');
  });

  it('has a badge to which relative ones add (R-C9)', async () => {
    await register('badged', { device_type: IOS, push_token: 'b'.repeat(64) });
    const { body } = await world.reply('setBadge', { application, hwid: 'badged', badge: '7' });
    expect(body).toEqual({ status_code: 200, status_message: 'OK' });
    const send = async (badge: string): Promise<void> => {
      await world.call('setDebug', { code: application });
      const notifications = [{ content: 'x', devices: ['badged'], ios_badges: badge }];
      const { Messages } = await world.call('createMessage', { application, notifications });
      await untilDone(world, application, Messages[0]!);
    };
    await send('+2');
    await send('-20');
    const badges = world.simulators.ledger
      .of('apns')
      .entries({ token: 'b'.repeat(64), limit: Infinity })
      .map(({ payload }) => (JSON.parse(payload!) as { aps: { badge: number } }).aps.badge);
    expect(badges).toEqual([9, 0]);
    expect(await refusal('setBadge', { hwid: 'badged', badge: -1 })).toMatch(/^badge: must be /);
    expect(await refusal('setBadge', { hwid: 'nobody', badge: 1 })).toBe('Device not found');
  });

  it('records purchases in default tags, and an error changes nothing (R-C12, R-RES17)', async () => {
    await register('buyer');
    const buy = (more: Parameters): Parameters => ({
      hwid: 'buyer',
      transactionDate: 1_768_478_400,
      quantity: 2,
      currency: 'eur',
      productIdentifier: 'coins',
      price: 0.99,
      ...more,
    });
    await world.call('setPurchase', { application, ...buy({}) });
    await world.call('setPurchase', {
      application,
      ...buy({ productIdentifier: 'gems', quantity: '3', transactionDate: '2026-02-01 10:00:00' }),
    });
    expect(await tagsOf({ hwid: 'buyer' })).toMatchObject({
      'In-app Product': ['coins', 'gems'],
      'In-app Purchase': 5,
      'Last In-app Purchase Date': '2026-02-01 10:00',
    });
    for (const [wrong, text] of [
      [{ transactionDate: 'yesterday' }, 'transactionDate: must be a date'],
      [{ quantity: 0 }, 'quantity: must be 1 to 2147483647'],
      [{ price: -1 }, 'price: must be 0 or more'],
      [{ currency: 'euro' }, 'currency: must be three letters'],
      [{ hwid: 'nobody' }, 'Device not found'],
    ] as const) {
      expect(await refusal('setPurchase', buy(wrong))).toBe(text);
    }
    expect(await tagsOf({ hwid: 'buyer' })).toMatchObject({ 'In-app Purchase': 5 });
  });

  it('posts events on both paths, wrapped and bare, and an unknown device is no error', async () => {
    await register('player', { userId: 'player-1' });
    const event = { application, event: 'Level Up', hwid: 'player', attributes: { amount: '4.99', currency: 'EUR' } };
    const reply = { code: '', required: false, message_hash: '' };
    expect(await world.call('postEvent', event)).toEqual(reply);
    expect(await world.call('eventApiPostEvent', { ...event, hwid: null, userId: 'player-1' })).toEqual(reply);
    expect(await world.call('postEvent', { ...event, hwid: 'nobody' })).toEqual(reply);
    const bare = await world.client.http.send('/api/v1/event-api/postEvent', {
      method: 'POST',
      headers: { authorization: `Token ${world.secrets.device}` },
      body: event,
    });
    expect(bare).toMatchObject({ status: 200, body: { status_code: 200, response: reply } });
  });

  it('reads its configuration, and may send actions that are not stored (R-X1)', async () => {
    expect(await world.call('getConfig', { application })).toEqual({ features: { events: [] } });
    expect(await world.call('getInApps', { application, hwid: 'x' })).toEqual({ inApps: [] });
    for (const name of ['pageVisit', 'triggerInAppAction', 'richMediaAction'] as const) {
      expect(await world.call(name, { application, hwid: 'x' })).toBeNull();
    }
  });
});

describe('a user', () => {
  it('has many devices with the same tags', async () => {
    const hwids = Array.from({ length: 40 }, (_, i) => `many-${i}`);
    await Promise.all(hwids.map((hwid) => register(hwid)));
    await Promise.all(
      hwids.map((hwid) => world.call('registerUser', { application, hwid, userId: 'many', tz_offset: 3600 })),
    );
    await world.call('setTags', { application, userId: 'many', tags: { Level: 3 } });
    expect(await tagsOf({ userId: 'many' })).toMatchObject({ Level: 3, Timezone: 3600 });
    const levels = await Promise.all(hwids.map(async (hwid) => (await tagsOf({ hwid }))['Level']));
    expect(levels).toEqual(hwids.map(() => 3));
    expect(await refusal('registerUser', { hwid: 'nobody', userId: 'many' })).toBe('Device not found');
  });

  it('is merged into another, which gets its missing tags, or is only removed (R-X2)', async () => {
    await register('guest-phone', { userId: 'guest', tags: { Level: 9, Plan: 'free' } });
    await register('own-phone', { userId: 'anna', tags: { Level: 1 } });
    const merge = { application, oldUserId: 'guest', newUserId: 'anna', merge: true };
    await world.call('mergeUser', merge);
    await world.call('mergeUser', merge);
    expect(await tagsOf({ hwid: 'own-phone' })).toMatchObject({ Level: 1, Plan: 'free' });
    expect(await refusal('getTags', { userId: 'guest' })).toBe('User not found');
    await world.call('setTags', { application, userId: 'anna', tags: { Level: 2 } });
    expect(await tagsOf({ hwid: 'guest-phone' })).toMatchObject({ Level: 2 });

    await world.call('mergeUser', { application, oldUserId: 'anna', merge: false });
    expect(await refusal('getTags', { userId: 'anna' })).toBe('User not found');
    expect(await tagsOf({ userId: 'own-phone' })).toMatchObject({ Level: 2 });
  });
});

describe('deleteDevice', () => {
  const planted = (i: number): Parameters => ({
    hwid: `${CANARY}-hwid-${i}`,
    push_token: `${CANARY}-token-${i}`,
    userId: `${CANARY}-user-${i}`,
    idfa: `${CANARY}-idfa-${i}`,
    city: `${CANARY}-city-${i}`,
    tags: { Plan: `${CANARY}-plan-${i}`, Interests: [`${CANARY}-interest-${i}`], Shared: `${CANARY}-shared-${i}` },
  });

  it('erases the record and all data of the device, while figures keep their counts (R-C8, T15)', async () => {
    const own = await world.application({ title: 'Erasing' });
    await world.call('setDebug', { code: own });
    await world.call('registerDevice', { application: own, hwid: 'stays', device_type: ANDROID, push_token: 'stays' });
    for (const i of [1, 2]) {
      const hwid = `${CANARY}-hwid-${i}`;
      await world.call('registerDevice', { application: own, device_type: ANDROID, ...planted(i) });
      await world.call('setTags', { application: own, hwid, tags: { Plan: `${CANARY}-later-${i}` } });
      await world.call('postEvent', { application: own, hwid, event: 'Opened', attributes: { of: `${CANARY}-page` } });
      await world.call('setActivityToken', {
        application: own,
        hwid,
        activity_id: `${CANARY}-activity`,
        activity_push_token: `${CANARY}-activity-token`,
      });
      await world.call('registerUser', { application: own, hwid, userId: `${CANARY}-next-user-${i}` });
    }
    const notifications = [{ content: 'Hello {{Plan}}' }];
    const { Messages } = await world.call('createMessage', { application: own, notifications });
    await untilDone(world, own, Messages[0]!);
    const figures = async () => funnelFigures(await world.call('getDeliveryFunnel', { message_code: Messages[0]! }));
    const before = await figures();
    const ofRegistry = (database: string): boolean => database.endsWith('_registry');
    expect(await storedText(world.mongoUrl, CANARY, ofRegistry)).not.toEqual([]);

    const [wrapped, bare] = [`${CANARY}-hwid-1`, `${CANARY}-hwid-2`];
    expect(await world.call('deleteDevice', { application: own, hwid: wrapped })).toBeNull();
    expect(await world.call('deleteDeviceBare', { application: own, hwid: bare })).toBeNull();
    // Deletion is idempotent, and no data is found afterwards.
    expect(await world.call('deleteDevice', { application: own, hwid: wrapped })).toBeNull();
    expect(await world.call('checkDevice', { application: own, hwid: wrapped })).toMatchObject({ exist: false });
    expect(await world.call('unregisterDevice', { application: own, hwid: wrapped })).toBeNull();
    for (const name of ['setBadge', 'getTags'] as const) {
      const { body } = await world.reply(name, { application: own, hwid: wrapped, badge: 1 });
      expect(body).toMatchObject({ status_code: 210, status_message: 'Device not found' });
    }
    const { body } = await world.reply('getTags', { application: own, userId: `${CANARY}-next-user-1` });
    expect(body).toMatchObject({ status_message: 'User not found' });

    await world.settle();
    expect(await figures()).toEqual(before);
    // Kafka's topics that name devices keep their records for two days.
    const forgetful = (database: string): boolean => modeUnderTest === 'embedded' || ofRegistry(database);
    let left: string[] = [];
    for (const deadline = Date.now() + 40_000; Date.now() < deadline; await delay(250)) {
      left = await storedText(world.mongoUrl, CANARY, forgetful);
      if (left.length === 0) break;
    }
    expect(left).toEqual([]);
  });

  it('deletes the device permanently, so that one that registers again is new', async () => {
    const hwid = 'returns';
    await register(hwid, { userId: 'returning', tags: { Level: 4, Shared: 'kept by the sibling' } });
    await world.call('registerDevice', { application: sibling, hwid, device_type: ANDROID });
    await world.call('setBadge', { application, hwid, badge: 3 });
    await world.call('applicationOpen', { application, hwid });
    await world.call('deleteDevice', { application, hwid });
    await register(hwid);
    const tags = await tagsOf({ hwid });
    expect(tags).toMatchObject({ Shared: 'kept by the sibling' });
    for (const name of ['Level', 'Last Application Open']) expect(tags).not.toHaveProperty([name]);
    expect(await refusal('getTags', { userId: 'returning' })).toBe('User not found');
  });

  it('requires a device token, with its own refusal (R-T4)', async () => {
    for (const path of ['/json/1.3/deleteDevice', '/api/v2/device-api/deleteDevice']) {
      const reply = await world.client.http.send(path, {
        method: 'POST',
        headers: { authorization: `Token ${world.secrets.api}` },
        body: { request: { application, hwid: 'x' }, application, hwid: 'x' },
      });
      expect(reply).toMatchObject({
        status: 401,
        body: { status_message: 'Missing or invalid token', response: null },
      });
    }
  });
});

describe('tags', () => {
  const set = (hwid: string, tags: Parameters) => world.call('setTags', { application, hwid, tags });

  it('take values and operations for every type, and return them in their form (R-RES8, R-RES9, R-C5)', async () => {
    await register('tagged');
    const given = {
      Level: '7',
      Score: 1.5,
      Interests: 'news',
      Plan: 12,
      Since: '2026-01-02T03:04:05Z',
      Release: '1.2-beta',
    };
    await set('tagged', given);
    const values = {
      Level: 7,
      Score: 1.5,
      Interests: ['news'],
      Plan: '12',
      Since: '2026-01-02 03:04',
      Release: '1.2-beta',
    };
    expect(await tagsOf({ hwid: 'tagged' })).toMatchObject(values);

    await set('tagged', {
      Level: { operation: 'increment', value: -9 },
      Score: { operation: 'increment', value: 0.25 },
      Interests: { operation: 'append', value: ['sport', 'news'] },
      Plan: { operation: 'remove', value: 'another' },
      Release: { operation: 'remove', value: '1.2-beta' },
      Since: null,
      Unheard: 'of',
    });
    await set('tagged', { Interests: { operation: 'remove', value: 'news' } });
    const tags = await tagsOf({ hwid: 'tagged' });
    expect(tags).toMatchObject({ Level: -2, Score: 1.75, Interests: ['sport'], Plan: '12' });
    for (const name of ['Release', 'Since', 'Unheard']) expect(tags).not.toHaveProperty([name]);

    for (const [wrong, text] of [
      [{ Level: 'x', Plan: 'gold' }, 'tags.Level: wrong value: integer expected'],
      [{ Plan: { operation: 'increment', value: 1 } }, 'tags.Plan: operation increment is not valid for String tag'],
      [{ Plan: { operation: 'double' } }, 'tags.Plan: unknown operation'],
    ] as const) {
      expect(await refusal('setTags', { hwid: 'tagged', tags: wrong })).toBe(text);
    }
    expect(await tagsOf({ hwid: 'tagged' })).toMatchObject({ Plan: '12' });
  });

  it('change in every application if they are shared, in one commit (R-RES7)', async () => {
    for (const app of [application, sibling]) {
      await world.call('registerDevice', { application: app, hwid: 'both', device_type: ANDROID });
    }
    await set('both', { Shared: 'everywhere', Plan: 'here' });
    const there = (await world.call('getTags', { application: sibling, hwid: 'both' })).result;
    expect(there).toMatchObject({ Shared: 'everywhere' });
    expect(there).not.toHaveProperty('Plan');
  });

  it('are deleted with all their values, also under the same name (R-D2)', async () => {
    const deleteTag = (name: string) => world.reply('deleteTag', { tag: { name } });
    for (const [name, specific] of [
      ['Short-lived', true],
      ['Short-lived shared', false],
    ] as const) {
      const add = (type: number) => world.call('addTag', { tag: { name, type, application_specific: specific } });
      await add(1);
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          await register(`loser-${i}`);
          await set(`loser-${i}`, { [name]: i });
        }),
      );
      await world.call('deleteTag', { tag: { name } });
      expect((await world.call('listTags')).tags.map((tag) => tag.name)).not.toContain(name);
      expect(await tagsOf({ hwid: 'loser-3' })).not.toHaveProperty([name]);
      await add(2);
      expect(await tagsOf({ hwid: 'loser-3' })).not.toHaveProperty([name]);
      await set('loser-3', { [name]: 'new' });
      await world.settle();
      expect(await tagsOf({ hwid: 'loser-3' })).toMatchObject({ [name]: 'new' });
    }
    expect((await deleteTag('Language')).body).toMatchObject({
      status_code: 210,
      status_message: 'Tag is a default tag',
    });
    expect((await deleteTag('Never heard of')).body).toMatchObject({ status_message: 'Tag not found' });
  });
});

testDeviceFeatures(() => world);
inboxAccessFeatures(() => world);

describe('contacts', () => {
  const exists = async (hwid: string) => (await world.call('checkDevice', { application, hwid })).exist;

  it('are registered by e-mail, tagged by address or user, given to users and deleted (R-E1, R-E6)', async () => {
    await world.call('registerEmail', {
      application,
      email: 'Anna@Example.com',
      language: 'de',
      tz_offset: 3600,
      userId: 'mail-1',
      tags: { Level: 4, Unheard: 1 },
    });
    expect(await tagsOf({ hwid: 'anna@example.com' })).toMatchObject({ Level: 4, Language: 'de', Timezone: 3600 });
    const tagged = await world.call('setEmailTags', {
      application,
      email: 'ANNA@example.com',
      tags: { Zebra: 1, Level: { operation: 'increment', value: 1 }, Apple: 2 },
    });
    expect(tagged).toEqual({ skipped: ['Zebra', 'Apple'] });
    await world.call('setEmailTags', { application, userId: 'mail-1', tags: { Plan: 'gold' } });
    expect(await tagsOf({ hwid: 'anna@example.com' })).toMatchObject({ Level: 5, Plan: 'gold' });
    expect(await refusal('setEmailTags', { email: 'nobody@example.com', tags: {} })).toBe('Email not found');
    expect(await refusal('setEmailTags', { email: 'anna@example.com', tags: { Level: 'x' } })).toBe(
      'tags.Level: wrong value: integer expected',
    );

    await world.call('registerEmailUser', { application, email: 'new@example.com', userId: 'mail-2' });
    expect(await tagsOf({ userId: 'mail-2' })).toHaveProperty(['First Install']);

    // A contact with a hwid of its own is also found by its address.
    await world.call('registerEmail', { application, email: 'own@example.com', hwid: 'own-hwid' });
    await register('own-hwid', { device_type: 14, language: 'fr' });
    for (const email of ['anna@example.com', 'OWN@example.com', 'nobody@example.com']) {
      expect(await world.call('deleteEmail', { application, email })).toBeNull();
    }
    expect([await exists('anna@example.com'), await exists('own-hwid')]).toEqual([false, false]);
  });

  it.each([
    [{ email: '' }, 'Email address is empty'],
    [{ email: `${'x'.repeat(250)}@example.com` }, 'Email address is invalid or has invalid semantic'],
    [{ email: 'a@b@example.com' }, 'Email address has invalid count of parts'],
    [{ email: '.a@example.com' }, 'Email address has invalid local part'],
    [{ email: 'a@example' }, 'Email address has invalid domain part'],
    [{ email: 'a@mail.yopmail.com' }, 'Email address belongs to a disposable domain'],
    [{ email: 'a@example.com', hwid: '' }, 'Hwid is not valid'],
    [{ email: 'a@example.com', device_type: 3 }, 'Only email platform is allowed for email-only subscription'],
  ])('are refused by e-mail: %j', async (request, text) => {
    expect(await refusal('registerEmail', request)).toBe(text);
  });

  it('are registered by phone number in any spelling, and a user with all contacts and devices or none (R-X3)', async () => {
    await world.call('registerSmsNumber', { application, number: '+4915112345678', userId: 'caller' });
    await world.call('registerWhatsappNumber', { application, number: '+4915112345678', userId: 'caller' });
    expect([await exists('+4915112345678'), await exists('whatsapp:+4915112345678')]).toEqual([true, true]);
    expect(await refusal('registerSmsNumber', { number: '0151' })).toBe('Hwid is not valid');
    // Any spelling is the same contact (R-C2).
    await world.call('registerSmsNumber', { application, number: '49 151 12345678', country: 'de', city: 'Berlin' });
    await world.call('setTags', { application, hwid: '49 (151) 123-45678', tags: { Level: 2 } });
    const contact = { Level: 2, Country: 'DE', City: 'Berlin' };
    expect(await tagsOf({ hwid: '+4915112345678' })).toMatchObject(contact);
    await register('whatsapp:4915112345678', { device_type: 21, userId: 'again' });
    expect(await tagsOf({ userId: 'again' })).toEqual(await tagsOf({ hwid: 'whatsapp:+4915112345678' }));

    const user = {
      application,
      user_id: 'multi',
      email: 'multi@example.com',
      sms_phone_number: '+4915100000001',
      language: 'fr',
      tags: { Level: 8 },
      push_devices: [{ hwid: 'multi-web', platform: 11, platformData: { public_key: 'BA==', auth_token: 'BB==' } }],
    };
    expect(await refusal('multiRegisterDevice', { ...user, whatsapp_phone_number: 'x' })).toBe('Hwid is not valid');
    expect(await exists('multi-web')).toBe(false);
    await world.call('multiRegisterDevice', user);
    for (const hwid of ['multi-web', 'multi@example.com', '+4915100000001']) {
      expect(await tagsOf({ hwid })).toMatchObject({ Level: 8, Language: 'fr' });
    }
    expect(await tagsOf({ userId: 'multi' })).toMatchObject({ Level: 8 });
    const operations = {
      Level: { operation: 3, value: 2 },
      Interests: { operation: 1, values: ['news'] },
      Plan: 'gold',
    };
    await world.call('multiRegisterDevice', { ...user, tags: operations });
    expect(await tagsOf({ hwid: 'multi-web' })).toMatchObject({ Level: 10, Interests: ['news'], Plan: 'gold' });
    expect(await refusal('multiRegisterDevice', { user_id: 'multi' })).toBe('push_devices: must be set');
  });

  it('are completed by a repeat with the same Idempotency-Key, without a second effect (R-X3, R-ER11)', async () => {
    const register = (key: string, more: Parameters) => {
      const tags = { Level: { operation: 3, value: 2 } };
      return world.client.http.send('/json/1.3/multiRegisterDevice', {
        method: 'POST',
        headers: { authorization: `Token ${world.secrets.device}`, 'idempotency-key': key },
        body: { request: { application, user_id: 'repeating', email: 'repeating@example.com', tags, ...more } },
      });
    };
    const levels = async () =>
      Promise.all(
        ['repeating@example.com', '+4915100000009', 'repeating'].map(async (hwid) => (await tagsOf({ hwid }))['Level']),
      );
    const registered = { status: 200, body: { status_code: 200 } };
    // A failure leaves the e-mail contact, which is registered first.
    expect(await register('key', {})).toMatchObject(registered);
    const whole = { sms_phone_number: '+4915100000009', push_devices: [{ hwid: 'repeating', platform: 3 }] };
    for (const _ of [1, 2]) expect(await register('key', whole)).toMatchObject(registered);
    expect(await levels()).toEqual([2, 2, 2]);
    await register('another', whole);
    expect(await levels()).toEqual([4, 4, 4]);
  });
});
