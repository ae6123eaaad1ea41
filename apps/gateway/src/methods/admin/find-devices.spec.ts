import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

describe('a search for devices (R-T8)', () => {
  let client: Client;
  beforeAll(async () => {
    client = await openClient(new World());
  });
  afterAll(() => client.close());

  const find = (query: string, application = APPLICATION) =>
    client.admin('GET', `devices/find?application=${application}&${query}`);

  it('shows what is known, and null for what is not', async () => {
    expect((await find('user=user-1')).body).toMatchObject({
      devices: [
        {
          number: 7,
          user: 'user-1',
          token_hash: null,
          token_set_at: null,
          created_at: '2026-01-15T12:00:00Z',
          opened_at: null,
          timezone: null,
          notifications: null,
          tags: { Language: 'en' },
          inbox: { entries: 2, new: 0 },
          registrations: [{ application: APPLICATION, platform: 3, has_token: false, created_at: null }],
        },
      ],
      more: true,
    });
    expect((await find('hwid=phone-1')).body).toMatchObject({ devices: [{ inbox: { entries: 0 } }], more: false });
  });

  it.each([
    ['', 'hwid is required'],
    ['hwid=a&user=b', 'user: must not be used with hwid'],
  ])('wants one name: %j', async (query, message) => {
    expect(await find(query)).toMatchObject({ status: 400, body: { error: { message } } });
  });

  it('is not found in an unknown application', async () => {
    expect(await find('hwid=a', 'AAAAA-AAAAA')).toMatchObject({ status: 404 });
  });
});
