import { Fault } from '@tidings/kernel';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { ADMINISTRATOR, APPLICATION, FOREIGN, UNGRANTED, World } from '../testing/gateway-world.ts';

const forbid = {
  status: 403,
  body: { status_code: 403, status_message: 'Token restrictions forbid this operation', response: null },
};
const denied = {
  status: 200,
  body: { status_code: 210, status_message: 'Access denied or application not found', response: null },
};
const ok = { status: 200, body: { status_code: 200 } };

const clients: Client[] = [];
const open = async (world: World): Promise<Client> => {
  const opened = await openClient(world);
  clients.push(opened);
  return opened;
};

let client: Client;
beforeAll(async () => {
  client = await open(new World());
});
afterAll(() => Promise.all(clients.map((opened) => opened.close())));

describe('auth in the body (R-T3, R-T4)', () => {
  it.each([
    [{ auth: 'api' }, {}, ok],
    [{}, { authorization: 'Api api' }, ok],
    [{}, { authorization: 'bearer api' }, ok],
    [{}, { authorization: 'KEY  api' }, ok],
    [{ auth: null }, { authorization: 'api' }, ok],
    [{}, {}, { status: 400, body: { status_message: 'Missing required argument: auth', response: null } }],
    [{ auth: 'nobody' }, { authorization: 'api' }, forbid],
    [{ auth: '' }, {}, forbid],
    [{ auth: 5 }, {}, forbid],
    [{ auth: 'device' }, {}, forbid],
    [{ auth: 'x'.repeat(10_000) }, {}, forbid],
  ])(
    'prevails over the header, which is read if the body has none: %j, headers %j',
    async (fields, headers: Record<string, string>, expected) => {
      const answer = await client.json13('listTags', fields, headers);
      expect(answer).toMatchObject(expected);
      if (answer.status === 400) expect(answer.body).not.toHaveProperty('status_code');
    },
  );
});

describe('device tokens in the header (R-T1, R-T4)', () => {
  it.each([
    ['Token device', ok],
    ['device', ok],
    ['token device', ok],
    [undefined, forbid],
    ['Token', forbid],
    ['Token api', forbid],
    ['Token nobody', forbid],
  ])(
    'are accepted behind any scheme word, and refused if they are missing or wrong: %s',
    async (authorization, expected) => {
      const register = { application: APPLICATION, hwid: 'phone-1', device_type: 3 };
      expect(await client.json13('registerDevice', register, authorization ? { authorization } : {})).toMatchObject(
        expected,
      );
    },
  );
});

describe('server keys (R-T6)', () => {
  const unauthorized = { status: 401, body: { code: 16, message: 'missing or invalid token', details: [] } };

  it.each([
    ['Api api', APPLICATION, { status: 200, body: { total: 0, items: [] } }],
    ['Api device', APPLICATION, unauthorized],
    [undefined, APPLICATION, unauthorized],
    ['Api api', UNGRANTED, { status: 403, body: { code: 7, message: 'Token restrictions forbid this operation' } }],
    ['Api api', FOREIGN, { status: 403, body: { code: 7, message: 'Access denied or application not found' } }],
    ['Api api', 'CCCCC-00001', { status: 403, body: { code: 7, message: 'Access denied or application not found' } }],
  ])('are checked before the application: %s for %s', async (authorization, application, expected) => {
    const headers: Record<string, string> = authorization ? { authorization } : {};
    expect(await client.apiV2('messages:list', { filters: { application } }, headers)).toMatchObject(expected);
  });
});

describe('applications (R-T2, R-T5)', () => {
  it.each([
    ['api', APPLICATION, ok],
    ['api', 'aaaaa-00001', ok],
    ['api', UNGRANTED, forbid],
    ['api', FOREIGN, denied],
    ['api', 'CCCCC-00001', denied],
    ['api', 'no code at all', denied],
    ['api', 5, denied],
    ['foreign', APPLICATION, denied],
  ])('are served only to tokens that may use them: %s for %s', async (auth, application, expected) => {
    expect(await client.json13('getApplication', { auth, application })).toMatchObject(expected);
  });

  it('are checked after missing arguments and before values (R-ER4)', async () => {
    const call = (fields: object) => client.json13('configureApplication', { auth: 'api', ...fields });
    expect(await call({ application: FOREIGN })).toMatchObject({
      status: 400,
      body: { status_message: 'Missing required argument: device_type' },
    });
    expect(await call({ application: FOREIGN, device_type: 99 })).toMatchObject(denied);
    expect(await call({ application: APPLICATION, device_type: 99 })).toMatchObject({
      body: { status_code: 210, status_message: 'device_type: platform cannot be configured' },
    });
    expect(await client.json13('configureApplication', { auth: 'nobody' })).toMatchObject(forbid);
  });

  it('are refused as invalid values if they are not text', async () => {
    expect(await client.json13('getApplication', { auth: 'api', application: [] })).toMatchObject({
      body: { status_code: 210, status_message: 'application: must be a string' },
    });
  });

  it.each([UNGRANTED, FOREIGN, 'CCCCC-00001'])(
    'are ignored as unknown fields by methods that take none (R-ER1): %s',
    async (application) => {
      expect(await client.json13('listTags', { auth: 'api', application })).toMatchObject(ok);
      expect(await client.json13('getApplications', { auth: 'api', application })).toMatchObject(ok);
    },
  );

  it('may be open to all API tokens, but not to limited device tokens', async () => {
    const world = new World();
    const client = await open(world);
    const view = world.applications.get(UNGRANTED)!;
    world.applications.set(UNGRANTED, { ...view, authorizeAllTokens: true });
    expect(await client.json13('getApplication', { auth: 'api', application: UNGRANTED })).toMatchObject(ok);
    world.tokens.set('device', { ...world.tokens.get('device')!, allApplications: false, applications: [APPLICATION] });
    const unregister = { application: UNGRANTED, hwid: 'phone-1' };
    expect(await client.json13('unregisterDevice', unregister, { authorization: 'device' })).toMatchObject(forbid);
  });

  it('answer 210 with an empty list for methods that create messages (R-ER8)', async () => {
    const request = { auth: 'api', application: FOREIGN, notifications: [{ content: 'x' }] };
    expect(await client.json13('createMessage', request)).toMatchObject({
      body: { status_code: 210, response: { Messages: [] } },
    });
  });

  it('can be used as soon as their creation was answered (ADR 8)', async () => {
    const client = await open(new World());
    expect(await client.json13('getApplication', { auth: 'api', application: APPLICATION })).toMatchObject(ok);
    const created = await client.json13('createApplication', { auth: 'api', title: 'New' });
    const { application } = (created.body as { response: { application: string } }).response;
    expect(await client.json13('getApplication', { auth: 'api', application })).toMatchObject(ok);
  });

  it('count in segments as soon as they were created (R-T2, R-N5)', async () => {
    const world = new World();
    const client = await open(world);
    const grants: unknown[] = [];
    world.segments.count = async ({ grant }) => {
      grants.push(grant);
      return { devices: 0n };
    };
    const count = () => client.json13('compileFilter', { auth: 'api', devices_filter: 'T("Age", EQ, 1)' });
    expect(await count()).toMatchObject(ok);
    await client.json13('createApplication', { auth: 'api', title: 'New' });
    expect(await count()).toMatchObject(ok);
    world.tokens.delete('api');
    expect(await count()).toMatchObject(forbid);
    expect(grants).toEqual([
      { allApplications: false, applications: [APPLICATION] },
      { allApplications: false, applications: [APPLICATION, 'AAAAA-00003'] },
    ]);
  });
});

describe('tokens', () => {
  it('work as soon as they were issued', async () => {
    const world = new World();
    const client = await open(world);
    expect(await client.json13('listTags', { auth: 'late' })).toMatchObject(forbid);
    world.tokens.set('late', world.tokens.get('api')!);
    expect(await client.json13('listTags', { auth: 'late' })).toMatchObject(ok);
  });

  it('expire at their time even if they are cached (R-T1)', async () => {
    const world = new World();
    const client = await open(world);
    const expiresAt = new Date(world.clock.now() + 3_600_000);
    world.tokens.set('api', { ...world.tokens.get('api')!, expiresAt });
    expect(await client.json13('listTags', { auth: 'api' })).toMatchObject(ok);
    world.clock.advance(3_600_000);
    expect(await client.json13('listTags', { auth: 'api' })).toMatchObject(forbid);
  });

  it('are answered as a failure of the service if they cannot be looked up', async () => {
    const world = new World();
    const client = await open(world);
    world.services.tokens.resolveToken = () => Promise.reject(Fault.unavailable('registry does not answer'));
    expect(await client.json13('listTags', { auth: 'api' })).toMatchObject({
      status: 500,
      body: { status_code: 500, status_message: 'Internal error', response: null },
    });
    expect(await client.apiV2('messages:list', {}, { authorization: 'api' })).toMatchObject({
      status: 503,
      body: { code: 14 },
    });
  });
});

describe('the administrator (R-T8)', () => {
  it.each(['nobody', '', `${ADMINISTRATOR}x`])('is not authorized by the token %j', async (secret) => {
    expect(await client.admin('GET', 'tokens', undefined, secret)).toMatchObject({
      status: 401,
      body: { error: { kind: 'unauthorized' } },
    });
  });
});
