import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '@tidings/client';
import { platform, type PlatformWorld } from '@tidings/testing';

const HOUR_SECONDS = 3600;

let world: PlatformWorld;
let application: string;
const closers: (() => void)[] = [];

beforeAll(async () => {
  world = await platform();
  application = await world.application({ ios: false, android: false });
});
afterAll(async () => {
  for (const close of closers) close();
  await world?.stop();
});

async function clientWith(scope: 'api' | 'device') {
  const { id, token } = await world.call('createToken', { scope, applications: 'all' });
  const client = new ApiClient(world.urls, { admin: world.secrets.admin, api: '', device: '', [scope]: token }, 4);
  closers.push(() => client.close());
  return { id, client };
}

const served = { status: 200 };
const retryAfter = expect.stringMatching(/^[1-9]\d*$/) as unknown;
const refused = {
  status: 429,
  body: { status_code: 429, status_message: 'Too many requests', response: null },
  headers: { 'retry-after': retryAfter },
};

describe('the rate limit of a token (R-LM2)', () => {
  it('refuses requests over the limit, in every envelope, until time has passed', async () => {
    const { id, client } = await clientWith('api');
    const limit = { requests: 2, seconds: HOUR_SECONDS };
    expect(await world.call('setRateLimit', { id, ...limit })).toEqual(limit);
    const { tokens } = await world.call('listTokens');
    expect(tokens.find((token) => token.id === id)).toMatchObject({ rate_limit: limit });

    expect(await client.reply('listTags')).toMatchObject(served);
    expect(await client.v2('messages:list', { filters: { application } })).toMatchObject(served);
    expect(await client.reply('listTags')).toMatchObject(refused);
    expect(await client.v2('messages:list', { filters: { application } })).toMatchObject({
      status: 429,
      body: { code: 8, message: 'Too many requests', details: [] },
      headers: { 'retry-after': retryAfter },
    });
    expect(await client.reply('bulkSetTags', { application, devices: [] })).toMatchObject({
      status: 429,
      body: { message: 'Too many requests' },
      headers: { 'retry-after': retryAfter },
    });
    // Other tokens of the account are served.
    expect(await world.reply('listTags')).toMatchObject(served);

    await world.advance(HOUR_SECONDS / 2);
    expect(await client.reply('listTags')).toMatchObject(served);
    expect(await client.reply('listTags')).toMatchObject(refused);
  });

  it('allows the same number of requests for any number of gateways', async () => {
    const { id, client } = await clientWith('api');
    await world.call('setRateLimit', { id, requests: 20, seconds: 10 * HOUR_SECONDS });
    const replies = await Promise.all(Array.from({ length: 60 }, () => client.reply('listTags')));
    const counts = [200, 429].map((status) => replies.filter((reply) => reply.status === status).length);
    expect(counts).toEqual([20, 40]);
  });

  it('applies to device tokens as well, and can be removed', async () => {
    const { id, client } = await clientWith('device');
    await world.call('setRateLimit', { id, requests: 1, seconds: 2 * HOUR_SECONDS });
    const open = () => client.reply('getInApps', { application, hwid: 'phone' });
    expect(await open()).toMatchObject(served);
    expect(await open()).toMatchObject(refused);
    await world.call('setRateLimit', { id, requests: 0, seconds: 1 });
    // Each gateway caches a token for 3 s.
    for (let servedInARow = 0; servedInARow < 5;) {
      const { status } = await open();
      servedInARow = status === 200 ? servedInARow + 1 : 0;
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { tokens } = await world.call('listTokens');
    expect(tokens.find((token) => token.id === id)).toMatchObject({ rate_limit: null });
  });

  it.each([
    [{ requests: -1, seconds: 1 }, 400, 'requests: must be 0 to 1000000'],
    [{ requests: 1, seconds: 0 }, 400, 'seconds: must be 1 to 86400'],
    [{ requests: 1 }, 400, 'seconds is required'],
    [{ id: 'nobody', requests: 1, seconds: 1 }, 404, 'Token not found'],
  ])('is refused: %j', async (given, status, message) => {
    const { id } = await world.call('createToken', { scope: 'api', applications: 'all' });
    const reply = await world.reply('setRateLimit', { id, ...given });
    expect(reply).toMatchObject({ status, body: { error: { message } } });
  });
});

describe('createTestDevice without a token (R-L1)', () => {
  const create = (of: string, name: string) =>
    world.client.http.send('/json/1.3/createTestDevice', {
      method: 'POST',
      headers: {},
      body: { request: { application: of, push_token: 'token', device_type: 3, name } },
    });

  it('is refused when an address calls too often for an application', async () => {
    const other = await world.application({ ios: false, android: false });
    const refusals: unknown[] = [];
    // One of two gateways may have received fewer requests than the other.
    for (let round = 0; round < 100 && refusals.length === 0; round++) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => create(application, 'Phone')));
      refusals.push(...replies.filter(({ status }) => status !== 200));
    }
    expect(refusals[0]).toMatchObject(refused);
    expect(await create(other, 'Phone')).toMatchObject({ status: 200, body: { status_code: 200 } });
    const { TestDevices } = await world.call('listTestDevices', { application });
    expect(TestDevices).toHaveLength(1);
  });
});

describe('data over a size limit', () => {
  /** A dozen exceed the limit of a device. */
  const lists = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, tag) => [`Full ${tag}`, full(tag)]));
  const full = (tag: number) => Array.from({ length: 1000 }, (_, i) => `${tag}-${i}-`.padEnd(255, 'x'));

  it('is refused for one device, which stays unchanged', async () => {
    for (let tag = 0; tag < 14; tag++) {
      await world.call('addTag', { tag: { name: `Full ${tag}`, type: 3, application_specific: true } });
    }
    await world.call('registerDevice', { application, hwid: 'full', device_type: 3, tags: { 'Full 0': ['one'] } });
    expect(await world.reply('setTags', { application, hwid: 'full', tags: lists(14) })).toMatchObject({
      status: 200,
      body: { status_code: 210, status_message: 'tags: too large together', response: null },
    });
    const devices = [
      { hwid: 'full', tags: lists(14) },
      { hwid: 'full', tags: { 'Full 1': ['two'] } },
    ];
    const { request_id: id } = await world.call('bulkSetTags', { application, devices });
    await world.settle();
    expect(await world.call('getBulkSetTags', { request_id: id, detailed: true })).toMatchObject({
      status: 'Completed',
      devices_success: 1,
      devices_failed: 1,
      devices: [{ status: 'failed' }, { status: 'done' }],
    });
    const { result } = await world.call('getTags', { application, hwid: 'full' });
    expect(result).toMatchObject({ 'Full 0': ['one'], 'Full 1': ['two'] });
  });

  it('is refused in a message before any message of its request is created (R-I1)', async () => {
    const languages = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`l${i}`, 'x'.repeat(65_000)]));
    const notifications = [{ content: 'small' }, { content: languages }];
    expect(await world.reply('createMessage', { application, notifications })).toMatchObject({
      body: { status_code: 210, status_message: 'notifications[1]: at most 2 MiB with its preset' },
    });
    const { total } = await world.call('messagesList', { filters: { application } });
    expect(total).toBe(0);
  });
});
