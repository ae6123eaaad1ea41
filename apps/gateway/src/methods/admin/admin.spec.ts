import type { Providers, ProviderView } from '@tidings/rpc';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, FOREIGN, World } from '../../testing/gateway-world.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = new World();
  client = await openClient(world);
});
afterAll(() => client.close());

describe('operators (R-T8)', () => {
  it('see the credentials of all dispatchers, one entry for each, and lift throttles', async () => {
    const view = (fields: Partial<ProviderView>): ProviderView => ({
      credential: 'apns-1',
      channel: 'apns',
      applications: [APPLICATION],
      reachable: true,
      lastError: undefined,
      throttledUntil: undefined,
      throttledBecause: '',
      throttledServices: [],
      ...fields,
    });
    const error = (name: string, second: number) => ({
      name,
      message: 'm',
      at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
    });
    const service = (name: string, second: number) => ({
      origin: `https://${name}`,
      because: `429 ${name}`,
      until: new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
    });
    const browsers = (...throttledServices: ReturnType<typeof service>[]): ProviderView =>
      view({ credential: 'webpush-1', channel: 'webpush', throttledServices });
    const lifted: string[] = [];
    const dispatcher = (providers: ProviderView[], throttled: string[] = []): Providers => ({
      listProviders: async () => ({ providers }),
      async liftThrottle({ credential }) {
        lifted.push(credential);
        return { lifted: throttled.includes(credential) };
      },
    });
    world.dispatchers = [
      dispatcher([view({ lastError: error('dns_failed', 5) }), view({ credential: 'apns-2' })]),
      dispatcher([
        view({ applications: ['BBBBB-00000'], reachable: false, lastError: error('connection_refused', 9) }),
      ]),
      dispatcher(
        [
          view({
            credential: 'fcm-1',
            channel: 'fcm',
            throttledBecause: '503 UNAVAILABLE',
            throttledUntil: new Date(Date.UTC(2026, 0, 1)),
          }),
        ],
        ['fcm-1'],
      ),
      dispatcher([browsers(service('a', 10), service('b', 5))]),
      dispatcher([browsers(service('b', 20), service('a', 3))]),
    ];
    expect((await client.admin('GET', 'providers')).body).toEqual({
      providers: [
        {
          credential: 'apns-1',
          channel: 'apns',
          state: 'unreachable',
          applications: [APPLICATION, 'BBBBB-00000'].toSorted(),
          last_error: { name: 'connection_refused', message: 'm', at: '2026-01-01T00:00:09Z' },
          throttled_until: null,
          throttled_because: null,
          push_services: [],
        },
        {
          credential: 'apns-2',
          channel: 'apns',
          state: 'open',
          applications: [APPLICATION],
          last_error: null,
          throttled_until: null,
          throttled_because: null,
          push_services: [],
        },
        {
          credential: 'fcm-1',
          channel: 'fcm',
          state: 'throttled',
          applications: [APPLICATION],
          last_error: null,
          throttled_until: '2026-01-01T00:00:00Z',
          throttled_because: '503 UNAVAILABLE',
          push_services: [],
        },
        {
          credential: 'webpush-1',
          channel: 'webpush',
          state: 'open',
          applications: [APPLICATION],
          last_error: null,
          throttled_until: null,
          throttled_because: null,
          push_services: [
            { origin: 'https://b', throttled_until: '2026-01-01T00:00:20Z', throttled_because: '429 b' },
            { origin: 'https://a', throttled_until: '2026-01-01T00:00:10Z', throttled_because: '429 a' },
          ],
        },
      ],
    });
    expect(await client.admin('DELETE', 'providers/fcm-1')).toMatchObject({ status: 204 });
    expect(lifted).toEqual(Array.from({ length: 5 }, () => 'fcm-1'));
    expect(await client.admin('DELETE', 'providers/apns-2')).toMatchObject({
      status: 404,
      body: { error: { kind: 'notFound', message: 'This credential is not throttled' } },
    });
  });

  it('issue, see and revoke tokens', async () => {
    expect(await client.admin('POST', 'tokens', { scope: 'server', applications: 'all' })).toMatchObject({
      status: 201,
      body: { id: 't9', token: 'issued' },
    });
    const { body } = await client.admin('GET', 'tokens');
    expect(body).toMatchObject({
      tokens: [
        { id: 't1', account: 'a', scope: 'api', applications: [APPLICATION] },
        { id: 't2', scope: 'device', applications: 'all' },
        { id: 't3' },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(await client.admin('GET', 'tokens/t2')).toMatchObject({
      status: 200,
      body: { id: 't2', account: 'a', scope: 'device', applications: 'all', expires_at: null, rate_limit: null },
    });
    expect(await client.admin('GET', 'tokens/t7')).toMatchObject({
      status: 404,
      body: { error: { kind: 'notFound', message: 'Token not found' } },
    });
    expect(await client.admin('DELETE', 'tokens/t1')).toMatchObject({ status: 204, body: undefined });
    expect(await client.admin('DELETE', 'tokens/t7')).toMatchObject({
      status: 404,
      body: { error: { kind: 'notFound', message: 'Token not found' } },
    });
  });

  it.each([
    [{}, 'scope is required'],
    [{ scope: 'api' }, 'applications is required'],
    [{ scope: 'root', applications: 'all' }, 'scope: must be one of api, device, server'],
    [{ scope: 'api', applications: 'some' }, 'applications: must be "all" or a list of application codes'],
  ])('get the reason of a refusal: %j', async (body, message) => {
    expect(await client.admin('POST', 'tokens', body)).toMatchObject({
      status: 400,
      body: { error: { kind: 'argument', message } },
    });
  });

  it('create accounts', async () => {
    expect(await client.admin('POST', 'accounts', { name: 'C' })).toMatchObject({
      status: 201,
      body: { account: 'c' },
    });
  });

  it('switch debug mode, on by default (R-S8)', async () => {
    const path = `applications/${APPLICATION.toLowerCase()}/debug`;
    const on = { status: 200, body: { debug_until: '2026-01-15T13:00:00Z' } };
    expect(await client.admin('POST', path)).toMatchObject(on);
    expect(await client.admin('POST', path, { on: true })).toMatchObject(on);
    expect(await client.admin('POST', path, { on: false })).toMatchObject({ body: { debug_until: null } });
    expect(await client.admin('POST', 'applications/CCCCC-00001/debug')).toMatchObject({ status: 404 });
  });

  it('create, list and delete subscriptions (R-EV1)', async () => {
    const given = { endpoint: 'grpc://events.example', events: ['Push Sent', 'Push Sent'], platforms: ['IOS'] };
    const created = await client.admin('POST', 'subscriptions', {
      ...given,
      account: 'a',
      applications: [APPLICATION],
    });
    expect(created).toMatchObject({ status: 201, body: { id: 's1' } });
    const shown = {
      id: 's1',
      account: 'a',
      endpoint: 'grpc://events.example',
      events: ['Push Sent'],
      applications: [APPLICATION],
      platforms: ['IOS'],
      message_codes: [],
      campaigns: [],
      enabled: true,
      created_at: '2026-01-15T12:00:00Z',
      disabled_reason: null,
      disabled_at: null,
    };
    expect(await client.admin('GET', 'subscriptions/s1')).toMatchObject({ status: 200, body: shown });
    expect(await client.admin('GET', 'subscriptions')).toMatchObject({ body: { subscriptions: [shown] } });
    const change = { platforms: [], message_codes: ['af0b-eefe4d5e-e445b2e9'], enabled: 0, endpoint: null };
    expect(await client.admin('PATCH', 'subscriptions/s1', change)).toMatchObject({
      status: 200,
      body: { ...shown, platforms: [], message_codes: ['AF0B-EEFE4D5E-E445B2E9'], enabled: false },
    });
    expect(await client.admin('DELETE', 'subscriptions/s1')).toMatchObject({ status: 204, body: undefined });
    for (const verb of ['GET', 'PATCH', 'DELETE']) {
      expect(await client.admin(verb, 'subscriptions/s1', verb === 'PATCH' ? {} : undefined)).toMatchObject({
        status: 404,
        body: { error: { kind: 'notFound', message: 'Subscription not found' } },
      });
    }
  });

  it.each([
    [{ events: undefined }, 'events is required'],
    [{ events: [] }, 'events: must not be empty'],
    [{ events: ['Push Seen'] }, /^events\[0\]: must be one of Push Sent, Push Delivered, Push Opened, /],
    [{ endpoint: 'events.example:90' }, /^endpoint: must be an address that begins with grpc:\/\/, .* or kafka:\/\/$/],
    [{ campaigns: ['AAAAA-BBBBB'] }, 'campaigns[0]: not found'],
    [{ platforms: ['Ios'] }, 'platforms[0]: unknown value'],
    [{ applications: [APPLICATION, FOREIGN], account: 'a' }, 'applications[1]: unknown application'],
    [{ applications: [APPLICATION] }, 'applications[0]: unknown application'],
  ])('get the reason why a subscription is refused: %j', async (body, message) => {
    const usual = { endpoint: 'grpc://events.example', events: ['Push Sent'] };
    const reply = await client.admin('POST', 'subscriptions', { ...usual, ...body });
    expect(reply).toMatchObject({ status: 400, body: { error: { kind: 'argument' } } });
    expect((reply.body as { error: { message: string } }).error.message).toMatch(message);
  });

  it('see the secret of a subscription only in the reply that creates it (R-EV6)', async () => {
    const body = { endpoint: 'https://events.example/', events: ['Push Sent'] };
    const created = await client.admin('POST', 'subscriptions', body);
    expect(created).toMatchObject({ status: 201, body: { id: 's1', secret: 'whsec_first' } });
    const replies = [
      await client.admin('GET', 'subscriptions/s1'),
      await client.admin('GET', 'subscriptions'),
      await client.admin('PATCH', 'subscriptions/s1', { enabled: false }),
    ];
    expect(JSON.stringify(replies)).not.toContain('secret');
    expect(await client.admin('POST', 'subscriptions/s1/secret')).toMatchObject({
      status: 201,
      body: { secret: 'whsec_next' },
    });
    expect(await client.admin('POST', 'subscriptions/s2/secret')).toMatchObject({ status: 404 });
  });

  it('subscribe only for existing accounts', async () => {
    const body = { account: 'nobody', endpoint: 'grpc://events.example', events: ['Push Sent'] };
    expect(await client.admin('POST', 'subscriptions', body)).toMatchObject({
      status: 404,
      body: { error: { kind: 'notFound', message: 'Account not found' } },
    });
  });

  it('list the open work', async () => {
    expect(await client.admin('GET', 'settled')).toMatchObject({ status: 200, body: { settled: true } });
    world.open = ['scheduler: tidings.plans 3', 'registry: relay'];
    expect(await client.admin('GET', 'settled')).toMatchObject({
      status: 409,
      body: { error: { kind: 'conflict', message: 'scheduler: tidings.plans 3\nregistry: relay' } },
    });
    world.open = [];
  });

  it('list the purges of deleted applications', async () => {
    expect(await client.admin('GET', 'deletions')).toMatchObject({ status: 200, body: { deletions: [] } });
    world.deletions = [
      { service: 'registry', application: 'AAAAA-BBBBB', devices: 7n },
      { service: 'scheduler', application: 'AAAAA-BBBBB', devices: undefined },
    ];
    expect(await client.admin('GET', 'settled')).toMatchObject({ status: 200 });
    expect((await client.admin('GET', 'deletions')).body).toEqual({
      deletions: [
        { application: 'AAAAA-BBBBB', service: 'registry', devices: 7 },
        { application: 'AAAAA-BBBBB', service: 'scheduler', devices: null },
      ],
    });
    world.deletions = [];
  });

  it('set the clock of tests forward, once for all services', async () => {
    const before = world.clock.now();
    const { body } = await client.admin('POST', 'clock', { advance_seconds: 3600 });
    await client.admin('POST', 'clock', { advance_seconds: '1.5' });
    expect(Date.parse((body as { now: string }).now)).toBeGreaterThanOrEqual(
      Math.floor(before / 1000) * 1000 + 3_600_000,
    );
    expect(world.clock.aheadMs).toBe(3_601_500);
    expect(await client.admin('POST', 'clock', { advance_seconds: -1 })).toMatchObject({ status: 400 });
  });
});
