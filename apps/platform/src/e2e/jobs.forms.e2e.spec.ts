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
const tagsOf = async (hwid: string) => (await world.call('getTags', { application, hwid })).result;

describe('bulkRegisterDevice', () => {
  it('registers devices, and tells of each', async () => {
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
      devices: ['phone-1', 'phone-2', '', 'no-number', 'phone-3', 'phone-1'].map((hwid, i) => ({
        hwid,
        status: [2, 3, 4].includes(i) ? 'failed' : 'done',
      })),
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

describe('bulkSetTags', () => {
  beforeAll(() =>
    world.registerDevices(application, 4, (i) => ({
      ...{ hwid: `d-${i}`, device_type: 3, push_token: `t-${i}`, tags: { Interests: ['a', 'b'] } },
      ...(i < 2 && { userId: 'user-1' }),
    })),
  );

  it('finds devices by hwid, user and push token, and tells of every tag', async () => {
    const result = await run('SetTags', [
      { hwid: 'd-3', tags: { Level: '7', Interests: 'c', None: 1 }, list_operator: 'append' },
      { user_id: 'user-1', tags: { Level: 1 } },
      { push_token: 't-2', tags: { Level: 'x', Interests: ['a'] }, list_operator: 'remove' },
      { hwid: 'd-2', tags: { Level: 'x', None: null } },
      { hwid: 'd-2', tags: {} },
      { hwid: 'nobody', tags: { Level: 1 } },
      { user_id: 'no-user', tags: { Level: 1 } },
      { push_token: 'no-token', tags: {} },
    ]);
    expect(result).toMatchObject({ status: 'Completed', devices_success: 5, devices_not_found: 3, devices_failed: 1 });
    expect(result.devices).toEqual([
      { hwid: 'd-3', status: 'done', tags: { Level: 'ok', Interests: 'ok', None: 'tag not found' } },
      { hwid: 'd-0', user_id: 'user-1', status: 'done', tags: { Level: 'ok' } },
      { hwid: 'd-1', user_id: 'user-1', status: 'done', tags: { Level: 'ok' } },
      {
        ...{ hwid: 'd-2', push_token: 't-2', status: 'done' },
        tags: { Level: 'wrong value: integer expected', Interests: 'ok' },
      },
      { hwid: 'd-2', status: 'failed', tags: { Level: 'wrong value: integer expected', None: 'tag not found' } },
      { hwid: 'd-2', status: 'done', tags: {} },
      { hwid: 'nobody', status: 'not found', tags: {} },
      { hwid: 'no-user', user_id: 'no-user', status: 'not found', tags: {} },
      { hwid: 'no-token', push_token: 'no-token', status: 'not found', tags: {} },
    ]);
    expect(await tagsOf('d-3')).toMatchObject({ Level: 7, Interests: ['a', 'b', 'c'] });
    expect(await tagsOf('d-1')).toMatchObject({ Level: 1, Interests: ['a', 'b'] });
    expect((await tagsOf('d-2'))['Interests']).toEqual(['b']);
  });
});
