import { APPLICATION, type Client, openClient, World } from '../../testing/world.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = new World();
  client = await openClient(world);
});
afterAll(() => client.close());

describe('operators (R-T8)', () => {
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
  ])('are told what is wrong: %j', async (body, message) => {
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

  it('learn what is open', async () => {
    expect(await client.admin('GET', 'settled')).toMatchObject({ status: 200, body: { settled: true } });
    world.open = ['scheduler: tidings.plans 3', 'registry: relay'];
    expect(await client.admin('GET', 'settled')).toMatchObject({
      status: 409,
      body: { error: { kind: 'conflict', message: 'scheduler: tidings.plans 3\nregistry: relay' } },
    });
    world.open = [];
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
