import { describe, expect, it } from '@jest/globals';
import { api } from '@tidings/contract';
import fc from 'fast-check';
import { parseMap } from '../map-file.ts';
import type { Outcome } from '../outcome.ts';
import { outcomeIn } from '../read-row.ts';
import { columnsOf, flattened } from '../row.ts';
import { formatFor, type FormatName, formatNames } from './formats.ts';

const tags = new Map([['Interests', 3]]);

function read(name: FormatName, values: Readonly<Record<string, unknown>>, map = {}): Outcome {
  const members = flattened(values);
  const row = { line: 2, values: members.map(([, value]) => value), columns: columnsOf(members.map(([key]) => key)) };
  return outcomeIn(row, formatFor(name, map), { tags });
}

const registered = (device: object) => ({ kind: 'register', device });
const skipped = (reason: string) => ({ kind: 'skip', reason });

describe('OneSignal', () => {
  const row = {
    id: 'a-1',
    identifier: 'token',
    session_count: '3',
    language: 'en_GB',
    timezone: '-28800',
    game_version: '1.2',
    device_os: '14',
    device_type: '1',
    device_model: 'Pixel 8',
    ad_id: 'ad',
    tags: '{"level":"5"}',
    invalid_identifier: 'f',
    external_user_id: 'u-1',
    country: 'DE',
  };
  const phone = {
    hwid: 'onesignal:a-1',
    push_token: 'token',
    platform: 3,
    user_id: 'u-1',
    language: 'en',
    timezone: -28_800,
    app_version: '1.2',
    device_model: 'Pixel 8',
    os_version: '14',
    country: 'DE',
    idfa: 'ad',
    tags: { level: '5' },
  };
  const endpoint = 'https://push.example/1';
  const keys = { web_auth: 'tBHI', web_p256: 'BNcRd_9w' };

  it.each<[object, object]>([
    [{}, registered(phone)],
    [{ invalid_identifier: 't' }, registered({ ...phone, push_token: '' })],
    [{ notification_types: '-2' }, registered({ ...phone, push_token: '' })],
    [{ notification_types: '1', tags: 'no JSON' }, registered({ ...phone, tags: {} })],
    [{ device_type: '0' }, registered({ ...phone, platform: 1 })],
    [{ device_type: '2' }, registered({ ...phone, platform: 9 })],
    [{ device_type: '6' }, registered({ ...phone, platform: 8 })],
    [{ device_type: '7' }, registered({ ...phone, platform: 10 })],
    [{ device_type: '9' }, registered({ ...phone, platform: 7 })],
    [{ device_type: '13' }, registered({ ...phone, platform: 17 })],
    [
      { device_type: '5', identifier: endpoint, ...keys },
      registered({ platform: 11, push_token: endpoint, public_key: 'BNcRd_9w', auth_token: 'tBHI' }),
    ],
    [{ device_type: '8', identifier: endpoint, ...keys }, registered({ platform: 12 })],
    [{ device_type: '5', identifier: endpoint }, skipped('a browser without the keys of its subscription')],
    [
      { device_type: '11', identifier: 'Anna@example.com' },
      registered({ hwid: 'Anna@example.com', push_token: 'Anna@example.com', platform: 14 }),
    ],
    [
      { device_type: '11', identifier: 'anna@example.com', invalid_identifier: 't' },
      { kind: 'unsubscribe', device: { platform: 14, tags: { level: '5', 'Unsubscribed Emails': true } } },
    ],
    [
      { device_type: '14', identifier: '+4915112345678' },
      registered({ hwid: '+4915112345678', push_token: '', platform: 18 }),
    ],
    [
      { device_type: '14', identifier: '+4915112345678', invalid_identifier: 't' },
      skipped('an unsubscribed number, to which nothing will be sent'),
    ],
    [{ device_type: '12' }, skipped('a device_type to which nothing can be sent')],
    [{ id: '' }, skipped('no identifier of the device')],
    [{ id: 'x'.repeat(600) }, skipped('an identifier of more than 255 characters')],
  ])('%j', (more, outcome) => expect(read('onesignal', { ...row, ...more })).toMatchObject(outcome));

  it('has columns in any spelling', () => {
    expect(read('onesignal', { 'Device Type': '1', ID: 'a', Identifier: 't', ExternalUserId: 'u' })).toMatchObject(
      registered({ hwid: 'onesignal:a', user_id: 'u' }),
    );
    const { knows } = formatFor('onesignal', {});
    expect(['webp256', 'reason', 'other'].map(knows)).toEqual([true, true, false]);
  });
});

describe('Pinpoint', () => {
  const endpoint = {
    ChannelType: 'GCM',
    Address: 'token',
    Id: 'e-1',
    EndpointStatus: 'ACTIVE',
    OptOut: 'NONE',
    Location: { Country: 'DE', City: 'Berlin' },
    Demographic: { AppVersion: '1.0', Locale: 'de_DE', Model: 'Pixel', PlatformVersion: '14', Timezone: 'Asia/Tokyo' },
    Attributes: { interests: ['news', 'sport'], none: [] },
    Metrics: { visits: 3.5 },
    User: { UserId: 'u', UserAttributes: { Plan: ['gold'] } },
  };
  const phone = {
    hwid: 'pinpoint:e-1',
    push_token: 'token',
    platform: 3,
    user_id: 'u',
    language: 'de',
    timezone: 32_400,
    app_version: '1.0',
    device_model: 'Pixel',
    os_version: '14',
    country: 'DE',
    city: 'Berlin',
    tags: { interests: ['news', 'sport'], visits: 3.5, Plan: ['gold'] },
  };

  it.each<[object, object]>([
    [{}, registered(phone)],
    [{ ChannelType: 'APNS' }, registered({ ...phone, platform: 1 })],
    [{ ChannelType: 'ADM' }, registered({ ...phone, platform: 9 })],
    [{ OptOut: 'ALL' }, registered({ ...phone, push_token: '' })],
    [{ EndpointStatus: 'INACTIVE' }, registered({ ...phone, push_token: '' })],
    [{ ChannelType: 'EMAIL', Address: 'a@example.com' }, registered({ hwid: 'a@example.com', platform: 14 })],
    [
      { ChannelType: 'EMAIL', Address: 'a@example.com', EndpointStatus: 'INACTIVE' },
      { kind: 'blacklist', address: 'a@example.com' },
    ],
    [{ ChannelType: 'EMAIL', Address: 'a@example.com', OptOut: 'ALL' }, { kind: 'unsubscribe' }],
    [{ ChannelType: 'SMS', Address: '+4915112345678' }, registered({ hwid: '+4915112345678', platform: 18 })],
    [{ ChannelType: 'SMS', Address: '+4915112345678', EndpointStatus: 'INACTIVE' }, skipped('an invalid number')],
    [{ ChannelType: 'VOICE' }, skipped('a ChannelType to which nothing can be sent')],
    [{ ChannelType: 'APNS_SANDBOX' }, skipped('a ChannelType to which nothing can be sent')],
  ])('%j', (more, outcome) => expect(read('pinpoint', { ...endpoint, ...more })).toMatchObject(outcome));

  it('is read from a CSV, too', () =>
    expect(
      read('pinpoint', {
        ChannelType: 'GCM',
        Address: 't',
        Id: 'e',
        'Attributes.a': '["x","y"]',
        'Attributes.b': 'z',
        'Metrics.c': '1',
        'Attributes.d': '',
      }),
    ).toEqual(registered(expect.objectContaining({ tags: { a: ['x', 'y'], b: ['z'], c: '1' } }))));
});

describe('Pushwoosh', () => {
  const row = { Hwid: 'H', 'User ID': 'u', 'Push Token': 't', Type: '3', 'Type (humanized)': 'Android' };

  it.each<[object, object]>([
    [
      { Interests: 'news,sport', Level: '5', Empty: '' },
      {
        kind: 'register',
        device: {
          hwid: 'H',
          push_token: 't',
          platform: 3,
          user_id: 'u',
          tags: { Interests: ['news', 'sport'], Level: '5' },
        },
      },
    ],
    [{ 'User ID': 'H' }, registered({ user_id: undefined, tags: {} })],
    [{ Type: '11', 'Push Token': 'https://a.example' }, skipped('a browser without the keys of its subscription')],
    [{ Type: '5' }, skipped('a Type to which nothing can be sent')],
    [{ Hwid: '' }, skipped('no identifier of the device')],
  ])('%j', (more, outcome) => expect(read('pushwoosh', { ...row, ...more })).toMatchObject(outcome));

  it('is read from JSON lines, too', () => {
    const line = { hwid: 'H', user_id: 'u', push_token: 't', type: 3, type_humanized: 'Android', tags: { Level: 5 } };
    expect(read('pushwoosh', line)).toEqual(
      registered({ hwid: 'H', push_token: 't', platform: 3, user_id: 'u', tags: { Level: 5 } }),
    );
  });
});

describe('Airship', () => {
  const row = {
    channel_id: 'c',
    device_type: 'ios',
    push_address: 't',
    opt_in: 'true',
    named_user_id: 'u',
    tags: 'a,b',
  };

  it.each<[object, object]>([
    [
      {},
      registered({
        hwid: 'airship:c',
        push_token: 't',
        platform: 1,
        user_id: 'u',
        tags: { 'Airship Tags': ['a', 'b'] },
      }),
    ],
    [{ opt_in: 'false' }, registered({ push_token: '' })],
    [{ device_type: 'email', push_address: 'a@example.com' }, registered({ hwid: 'a@example.com', platform: 14 })],
    [{ device_type: 'web' }, skipped('a device_type to which nothing can be sent')],
    [{ channel_id: '' }, skipped('no identifier of the device')],
  ])('%j', (more, outcome) => expect(read('airship', { ...row, ...more })).toMatchObject(outcome));
});

describe('a table of the team', () => {
  it('has columns with the names of the fields', () => {
    const row = { hwid: 'h', push_token: 't', platform: 'Android', user_id: 'u', timezone: '3600', 'tags.Level': '5' };
    expect(read('csv', row)).toMatchObject(
      registered({ hwid: 'h', push_token: 't', platform: 3, user_id: 'u', timezone: 3600, tags: { Level: '5' } }),
    );
    expect(read('csv', { ...row, platform: 'pager' })).toEqual(skipped('a platform that is unknown'));
    expect(read('csv', { hwid: 'h' })).toEqual(skipped('no platform'));
    expect(read('csv', { ...row, unsubscribed: 'yes' })).toMatchObject(registered({ push_token: '' }));
    expect(read('csv', { hwid: 'a@example.com', platform: '14', invalid: '1' })).toEqual({
      kind: 'blacklist',
      address: 'a@example.com',
    });
  });

  const map = parseMap(
    'map.yml',
    `
hwid: { template: 'crm:{Customer}-{device}' }
platform: { column: os, values: { iPhone: 1, Pixel: android } }
push_token: { column: token }
language: { value: de }
unsubscribed: { column: opted out }
tags:
  Level: { column: level, type: integer }
  Interests: { column: likes, type: list, separator: '|' }
  Vip: { column: vip, type: boolean }
  Source: { value: crm }
`,
  );

  it('has a map', () => {
    const row = { Customer: '7', device: 'a', os: 'Pixel', token: 't', level: '5', likes: 'x | y', vip: 'No' };
    expect(read('csv', row, map)).toMatchObject(
      registered({
        hwid: 'crm:7-a',
        push_token: 't',
        platform: 3,
        language: 'de',
        tags: { Level: '5', Interests: ['x', 'y'], Vip: false, Source: 'crm' },
      }),
    );
    expect(read('csv', { ...row, device: '' }, map)).toEqual(skipped('no identifier of the device'));
    expect(read('csv', { ...row, os: 'Nokia' }, map)).toEqual(skipped('a platform that is unknown'));
    expect(read('csv', { ...row, opted_out: 'y' }, map)).toMatchObject(registered({ push_token: '' }));
    const { knows } = formatFor('csv', map);
    expect(['customer', 'optedout', 'other'].map(knows)).toEqual([true, true, false]);
  });

  it('can have the map add to an export of a vendor', () => {
    const row = { id: 'a', identifier: 't', device_type: '1', tags: '{"a":"1"}', vip: 'yes', Customer: '7' };
    const own = parseMap('map.yml', 'user_id: { column: customer }\ntags: { Vip: { column: vip, type: boolean } }');
    expect(read('onesignal', row, own)).toMatchObject(
      registered({ hwid: 'onesignal:a', user_id: '7', tags: { a: '1', Vip: true } }),
    );
  });
});

describe('any row', () => {
  const names = [
    ...['id', 'identifier', 'device_type', 'language', 'timezone', 'country', 'tags', 'invalid_identifier'],
    ...['notification_types', 'web_auth', 'web_p256', 'external_user_id', 'ChannelType', 'Address', 'EndpointStatus'],
    ...['OptOut', 'Location.City', 'Attributes.x', 'Metrics.y', 'User.UserId', 'Hwid', 'User ID', 'Push Token', 'Type'],
    ...['channel_id', 'push_address', 'opt_in', 'named_user_id', 'hwid', 'push_token', 'platform', 'email', 'city'],
    ...['tags.z', 'Demographic.Timezone', 'unsubscribed', 'invalid', '__proto__', 'constructor'],
  ];
  const value = fc.oneof(
    fc.constantFrom<unknown>(...['', '0', '1', '3', '5', '11', '14', '18', 't', 'false', 'GCM', 'EMAIL', 'SMS', 'ios']),
    fc.constantFrom<unknown>(...['ALL', 'INACTIVE', 'a@example.com', '+4915112345678', '{"a":[1],"b":{"c":null}}']),
    fc.constantFrom<unknown>('x'.repeat(70_000), 'lone\ud800', null, true, ['a', 1, null], -1.5),
    fc.string({ unit: 'binary' }),
    fc.double(),
  );
  const row = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value, { maxKeys: 30 });

  it.each(formatNames)('of %s registers, is suppressed, or is skipped with a reason', (name) => {
    const application = 'A1B2C-3D4E5';
    fc.assert(
      fc.property(row, (values) => {
        const outcome = read(name, values);
        switch (outcome.kind) {
          case 'register':
          case 'unsubscribe':
            // An entry must not refuse the others of its job.
            expect(api.bulkRegisterDevice.parse({ application, devices: [outcome.device] }).devices).toHaveLength(1);
            break;
          case 'blacklist':
            expect(outcome.address).not.toBe('');
            break;
          case 'skip':
            expect(outcome.reason).not.toBe('');
        }
      }),
      { numRuns: 500 },
    );
  });
});
