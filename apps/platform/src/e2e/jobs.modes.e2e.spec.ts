import { gzipSync } from 'node:zlib';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Parameters, platform, type PlatformWorld } from '@tidings/testing';

let world: PlatformWorld;
let application: string;

beforeAll(async () => {
  world = await platform();
  application = await world.application();
  await world.call('addTag', { tag: { name: 'Level', type: 1 } });
  await world.call('addTag', { tag: { name: 'Interests', type: 3, application_specific: true } });
});
afterAll(() => world?.stop());

type Kind = 'SetTags' | 'RegisterDevice' | 'UnregisterDevice';

const start = async (kind: Kind, devices: readonly Parameters[], more: Parameters = {}): Promise<string> =>
  (await world.call(`bulk${kind}`, { application, devices, ...more })).request_id;
const resultOf = async <K extends Kind>(kind: K, requestId: string, detailed = true) =>
  world.call(`getBulk${kind}` as const, { request_id: requestId, detailed });
const run = async (kind: Kind, devices: readonly Parameters[], more: Parameters = {}) => {
  const id = await start(kind, devices, more);
  await world.settle();
  return resultOf(kind, id);
};
/** R-ER1 */
const deep = JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) as unknown;
const tagsOf = async (hwid: string) => (await world.call('getTags', { application, hwid })).result;

describe('bulkRegisterDevice', () => {
  it('registers devices, and reports each', async () => {
    const result = await run('RegisterDevice', [
      { hwid: 'phone-1', push_token: 'token-1', platform: 3, tags: { Level: 5, Interests: ['news'], Unknown: 1 } },
      { hwid: 'phone-2', push_token: 'AB'.repeat(32), platform: '1' },
      { hwid: '', push_token: 't', platform: 3 },
      { hwid: 'no-number', push_token: '', platform: 18 },
      { hwid: 'phone-3', push_token: 'token-3', platform: 99 },
      { hwid: 'phone-1', push_token: 'token-1', platform: 3, list_operator: 'append', tags: { Interests: ['sport'] } },
    ]);
    expect(result).toEqual({
      request_id: expect.stringMatching(/^[\da-f-]{36}$/),
      status: 'Completed',
      progress: 100,
      devices_success: 3,
      devices: [
        { hwid: 'phone-1', status: 'done', tags: { Level: 'ok', Interests: 'ok', Unknown: 'tag not found' } },
        { hwid: 'phone-2', status: 'done' },
        { hwid: '', status: 'failed', reason: 'Hwid is not valid' },
        { hwid: 'no-number', status: 'failed', reason: 'Hwid is not valid' },
        { hwid: 'phone-3', status: 'failed', reason: 'platform: unknown platform' },
        { hwid: 'phone-1', status: 'done', tags: { Interests: 'ok' } },
      ],
    });
    expect(await tagsOf('phone-1')).toMatchObject({ Level: 5, Interests: ['news', 'sport'] });
    expect(
      await world.call('createMessage', {
        application,
        notifications: [{ content: 'Hello', devices: ['AB'.repeat(32).toLowerCase()] }],
      }),
    ).not.toHaveProperty('UnknownDevices');
  });
});

describe('the details of a bulk registration (R-G5)', () => {
  const browser = { push_token: 'https://push.example.com/1', platform: 11 };
  const keys = { public_key: 'BNcRd_9w', auth_token: 'tBHI' };

  it('are those of registerDevice, and an omitted one keeps what is stored', async () => {
    const phone = { hwid: 'detailed', push_token: 'token-d', platform: 3 };
    const details = { user_id: 'user-d', language: 'de-AT', timezone: 3600, app_version: '1.2', os_version: '14' };
    const place = { country: 'at', city: 'Wien', device_model: 'Pixel 8' };
    const { devices } = await run('RegisterDevice', [
      { ...phone, ...details, ...place },
      { hwid: 'browser', ...browser, ...keys },
      { hwid: 'no keys', ...browser },
      { hwid: 'wrong zone', push_token: 't', platform: 3, timezone: 'CET', language: 'de' },
      { hwid: 'crm-d', push_token: '', platform: 14, email: 'Detailed@example.com' },
    ]);
    expect(devices).toEqual([
      { hwid: 'detailed', status: 'done' },
      { hwid: 'browser', status: 'done' },
      {
        ...{ hwid: 'no keys', status: 'failed' },
        reason: 'public_key: must be set with auth_token, or fcm_token instead',
      },
      { hwid: 'wrong zone', status: 'failed', reason: 'timezone: must be an integer' },
      { hwid: 'crm-d', status: 'done' },
    ]);
    const stored = {
      ...{ Language: 'de', Timezone: 3600, 'Application Version': '1.2', 'OS Version': '14' },
      ...{ Country: 'AT', City: 'Wien', 'Device Model': 'Pixel 8' },
    };
    expect(await tagsOf('detailed')).toMatchObject(stored);
    expect((await world.call('getTags', { application, userId: 'user-d' })).result).toMatchObject(stored);
    await run('RegisterDevice', [{ ...phone, app_version: '1.3' }]);
    expect(await tagsOf('detailed')).toMatchObject({ ...stored, 'Application Version': '1.3' });
    await world.call('setEmailTags', { application, email: 'detailed@example.com', tags: { Level: 1 } });
    expect(await tagsOf('crm-d')).toMatchObject({ Level: 1 });
  });
});

describe('bulkSetTags', () => {
  beforeAll(() =>
    world.registerDevices(application, 4, (i) => ({
      hwid: `d-${i}`,
      device_type: 3,
      push_token: `t-${i}`,
      tags: { Interests: ['a', 'b'] },
      ...(i < 2 && { userId: 'user-1' }),
    })),
  );

  it('finds devices by hwid, user and push token, and reports every tag', async () => {
    const result = await run('SetTags', [
      { hwid: 'd-3', tags: { Level: '7', Interests: 'c', None: 1 }, list_operator: 'append' },
      { user_id: 'user-1', tags: { Level: 1 } },
      { push_token: 't-2', tags: { Level: 'x', Interests: ['a'] }, list_operator: 'remove' },
      { hwid: 'd-2', tags: { Level: 'x', None: null } },
      { hwid: 'd-2', tags: {} },
      { hwid: 'nobody', tags: { Level: 1 } },
      { user_id: 'no-user', tags: { Level: 1 } },
      { push_token: 'no-token', tags: {} },
      { hwid: 'd-2', tags: { Level: deep } },
    ]);
    expect(result).toMatchObject({ status: 'Completed', devices_success: 5, devices_not_found: 3, devices_failed: 2 });
    // The rows of a user's devices are adjacent, in any order.
    const [first, one, other, ...rest] = result.devices!;
    const ofUser = [one!, other!].toSorted((a, b) => (a.hwid < b.hwid ? -1 : 1));
    expect([first, ...ofUser, ...rest]).toEqual([
      { hwid: 'd-3', status: 'done', tags: { Level: 'ok', Interests: 'ok', None: 'tag not found' } },
      { hwid: 'd-0', user_id: 'user-1', status: 'done', tags: { Level: 'ok' } },
      { hwid: 'd-1', user_id: 'user-1', status: 'done', tags: { Level: 'ok' } },
      {
        hwid: 'd-2',
        push_token: 't-2',
        status: 'done',
        tags: { Level: 'wrong value: integer expected', Interests: 'ok' },
      },
      { hwid: 'd-2', status: 'failed', tags: { Level: 'wrong value: integer expected', None: 'tag not found' } },
      { hwid: 'd-2', status: 'done', tags: {} },
      { hwid: 'nobody', status: 'not found', tags: {} },
      { hwid: 'no-user', user_id: 'no-user', status: 'not found', tags: {} },
      { hwid: 'no-token', push_token: 'no-token', status: 'not found', tags: {} },
      { hwid: 'd-2', status: 'failed', tags: { Level: 'wrong value: integer expected' } },
    ]);
    expect(await tagsOf('d-3')).toMatchObject({ Level: 7, Interests: ['a', 'b', 'c'] });
    expect(await tagsOf('d-1')).toMatchObject({ Level: 1, Interests: ['a', 'b'] });
    expect((await tagsOf('d-2'))['Interests']).toEqual(['b']);
  });
});

describe('create_missing_tags (R-G6)', () => {
  it('creates tags of the type of the first value', async () => {
    await world.registerDevices(application, 1, () => ({ hwid: 'maker', device_type: 3, tags: { Level: deep } }));
    const tags = {
      Flag: true,
      Count: 3,
      Share: 0.5,
      Things: ['x'],
      When: '2026-01-15 12:00',
      Word: 'w',
      Nothing: null,
      Level: 9,
    };
    const result = await run(
      'SetTags',
      [
        { hwid: 'maker', tags },
        { hwid: 'maker', tags: { Nothing: null } },
      ],
      {
        create_missing_tags: true,
      },
    );
    expect(result.devices).toMatchObject([
      { status: 'done', tags: { Flag: 'ok', Count: 'ok', When: 'ok', Nothing: 'tag not found' } },
      { status: 'failed', tags: { Nothing: 'tag not found' } },
    ]);
    const { tags: known } = await world.call('listTags');
    const types = Object.fromEntries(known.map(({ name, type }) => [name, type]));
    expect(types).toMatchObject({ Flag: 5, Count: 1, Share: 6, Things: 3, When: 4, Word: 2, Level: 1 });
    expect(types).not.toHaveProperty('Nothing');
    expect(await tagsOf('maker')).toMatchObject({ Share: 0.5, When: '2026-01-15 12:00', Level: 9 });
  });
});

describe('bulkUnregisterDevice', () => {
  it('removes push tokens', async () => {
    const result = await run('UnregisterDevice', [{ hwid: 'd-0' }, { hwid: 'nobody' }]);
    expect(result).toMatchObject({ status: 'Completed', devices_success: 1 });
    expect(result.devices).toEqual([
      { hwid: 'd-0', status: 'done' },
      { hwid: 'nobody', status: 'not found' },
    ]);
    expect((await tagsOf('d-0'))['Push Alerts Enabled']).toBe(false);
  });
});

const post = async (path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) => {
  const outgoing = request(new URL(`/api/v2/audience/${path}`, world.url), {
    method: 'POST',
    headers: { 'content-length': Buffer.byteLength(body), ...headers },
  });
  const incoming = new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      void text(response).then((json) => resolve({ status: response.statusCode!, body: JSON.parse(json) }));
    });
  });
  outgoing.end(body);
  return incoming;
};

describe('bulk requests', () => {
  const bulk = (fields: Parameters): Promise<{ status: number; body: unknown }> =>
    post('bulkSetTags', JSON.stringify({ application, auth: world.secrets.api, ...fields }));
  const one = { hwid: 'd-1', tags: {} };

  it.each<[string, Parameters, string]>([
    ['no devices', {}, 'devices is required'],
    ['an empty list', { devices: [] }, 'devices: must not be empty'],
    ['no identifier', { devices: [one, { tags: {} }] }, 'devices[1].hwid is required'],
    [
      'two identifiers',
      { devices: [{ ...one, user_id: 'u' }] },
      'devices[0]: only one of hwid, user_id, push_token may be set',
    ],
    ['no tags', { devices: [{ hwid: 'd-1' }] }, 'devices[0].tags is required'],
    ['tags that are a list', { devices: [{ hwid: 'd-1', tags: [] }] }, 'devices[0].tags: must be an object'],
    [
      'an unknown operator',
      { devices: [{ ...one, list_operator: 'merge' }] },
      'devices[0].list_operator: must be one of set, append, remove',
    ],
    ['too many', { devices: Array.from({ length: 50_001 }, () => one) }, 'devices: at most 50000 entries'],
  ])('are refused with %s', async (_title, fields, message) => {
    expect(await bulk(fields)).toEqual({ status: 400, body: { message } });
  });

  it('require a token with access', async () => {
    const forbidden = { status: 403, body: { message: 'Token restrictions forbid this operation' } };
    expect(await bulk({ devices: [one], auth: 'nobody' })).toEqual(forbidden);
    expect(await bulk({ devices: [one], auth: world.secrets.device })).toEqual(forbidden);
    const denied = { status: 403, body: { message: 'Access denied or application not found' } };
    expect(await bulk({ devices: [one], application: 'AAAAA-AAAAA' })).toEqual(denied);
  });

  it('may be packed, and are measured unpacked', async () => {
    const packed = (body: string) => post('bulkUnregisterDevice', gzipSync(body), { 'content-encoding': 'gzip' });
    const valid = JSON.stringify({ application, auth: world.secrets.api, devices: [{ hwid: 'd-1' }] });
    expect(await packed(valid)).toMatchObject({ status: 200, body: { status: 'Pending' } });
    const bomb = await packed(`${valid}${' '.repeat(64 * 1024 * 1024)}`);
    expect(bomb).toEqual({ status: 413, body: { message: 'Request is too large' } });
    const broken = await post('bulkSetTags', Buffer.from('no gzip'), { 'content-encoding': 'gzip' });
    expect(broken).toEqual({ status: 400, body: { message: 'Malformed request string' } });
  });

  it('are accepted at once with 50,000 devices and counted to the end', async () => {
    const devices = Array.from({ length: 50_000 }, (_, i) => ({ hwid: i % 25_000 === 0 ? 'd-2' : `unknown-${i}` }));
    const id = await start('UnregisterDevice', devices);
    await world.settle(60_000);
    const result = await resultOf('UnregisterDevice', id);
    expect(result).toMatchObject({ request_id: id, status: 'Completed', progress: 100, devices_success: 2 });
    expect(result.devices!.length).toBe(50_000);
    expect(result.devices!.map(({ status }) => status).lastIndexOf('done')).toBe(25_000);
  });
});

describe('requests for the result of a job', () => {
  it('require no token, and refuse a wrong one', async () => {
    const id = await start('SetTags', [{ hwid: 'd-1', tags: {} }]);
    await world.settle();
    const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
      world.client.http.send(`/api/v2/audience/${path}`, { headers });
    expect(await ask(`bulkSetTags/${id}`)).toMatchObject({
      status: 200,
      body: { request_id: id, status: 'Completed' },
    });
    expect((await ask(`bulkSetTags/${id}`)).body).not.toHaveProperty('devices');
    const { jobs } = await world.call('listJobs', { kind: 'bulkSetTags', application });
    expect(jobs[0]).toMatchObject({ id, application, status: 'Completed', devices_success: 1, failure: null });
    expect((await world.call('listJobs', { kind: 'exportSegment', application })).jobs).toEqual([]);
    expect(await ask(`bulkSetTags/${id}`, { authorization: 'Token wrong' })).toMatchObject({ status: 403 });
    const unknown = { status: 404, body: { message: 'Request not found' } };
    expect(await ask(`bulkRegisterDevice/${id}`)).toMatchObject(unknown);
    expect(await ask('bulkSetTags/no-such-job')).toMatchObject(unknown);
    const wrong = { status: 400, body: { message: 'detailed: must be a boolean' } };
    expect(await ask(`bulkSetTags/${id}?detailed=maybe`)).toMatchObject(wrong);
    await world.advance(7 * 86_400 + 60);
    expect(await ask(`bulkSetTags/${id}`)).toMatchObject(unknown);
  });
});
