import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { platform, type PlatformWorld } from '@tidings/testing';
import { ApiClient } from '../client/api-client.ts';

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

/** A client with a token of its own, for one gateway: each counts for itself. */
async function clientWith(scope: 'api' | 'device') {
  const { id, token } = await world.call('createToken', { scope, applications: 'all' });
  const client = new ApiClient(world.url, { admin: world.secrets.admin, api: '', device: '', [scope]: token }, 4);
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
  it('refuses what is too much, in every envelope, until time has passed', async () => {
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
    // Others of the account are served.
    expect(await world.reply('listTags')).toMatchObject(served);

    await world.advance(HOUR_SECONDS / 2);
    expect(await client.reply('listTags')).toMatchObject(served);
    expect(await client.reply('listTags')).toMatchObject(refused);
  });

  it('holds for device tokens as well, and can be taken away', async () => {
    const { id, client } = await clientWith('device');
    await world.call('setRateLimit', { id, requests: 1, seconds: 2 * HOUR_SECONDS });
    const open = () => client.reply('getInApps', { application, hwid: 'phone' });
    expect(await open()).toMatchObject(served);
    expect(await open()).toMatchObject(refused);
    await world.call('setRateLimit', { id, requests: 0, seconds: 1 });
    // What a gateway knows of a token counts for 3 s there.
    let reply = await open();
    while (reply.status === 429) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      reply = await open();
    }
    for (let i = 0; i < 5; i++) expect(await open()).toMatchObject(served);
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
