import { hash } from 'node:crypto';
import { authenticationTokenOf, visitorKeyOf } from '@tidings/channels';
import { Platform } from '@tidings/kernel';
import { ApplicationView } from '@tidings/rpc';
import { keysFrom } from '@tidings/runtime';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { APPLICATION, UNGRANTED, World } from '../testing/gateway-world.ts';

const PUSH_ID = 'web.com.example';
const PUBLIC_URL = 'https://push.example';

const key = visitorKeyOf(keysFrom(new Uint8Array(32)).identity.report);

let world: World;
let client: Client;
beforeEach(async () => {
  world = new World();
  const website = { platform: Platform.Safari, enabled: true, configured: true, credentialVersion: 1 };
  const view = { account: 'a', code: APPLICATION, platforms: [website] };
  world.applications.set(APPLICATION, ApplicationView.fromPartial(view));
  client = await openClient(world, { publicUrl: PUBLIC_URL });
});
afterEach(() => client.close());

const call = (verb: string, path: string, { body, hwid, headers }: CallOptions = {}) =>
  client.send(verb, `/safari/${APPLICATION}/v2/${path}`, body === undefined ? undefined : JSON.stringify(body), {
    authorization: `ApplePushNotifications ${authenticationTokenOf(key, APPLICATION, { hwid })}`,
    ...headers,
  });
interface CallOptions {
  readonly body?: unknown;
  readonly hwid?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
const registration = (token: string): string => `devices/${token}/registrations/${PUSH_ID}`;
const notFound = { status: 404, body: { code: 5, message: 'Not Found', details: [] } };

describe('the web service of push packages', () => {
  it.each([
    ['the device that the page names', { hwid: 'visitor-1', more: 1 }, 'visitor-1'],
    ['all visitors', {}, ''],
    ['all visitors, of a page that names none', { hwid: null }, ''],
    ['all visitors, without a body', undefined, ''],
  ])('sends the package of %s', async (_, body, hwid) => {
    const sent = await call('POST', `pushPackages/${PUSH_ID}`, { body });
    expect(sent).toMatchObject({ status: 200, headers: { 'content-type': 'application/zip' } });
    expect(sent.body).toEqual({ application: APPLICATION, websitePushId: PUSH_ID, hwid, publicUrl: PUBLIC_URL });
  });

  it('has no package of another website, or of an application without one', async () => {
    expect(await call('POST', 'pushPackages/web.com.other')).toMatchObject(notFound);
    for (const code of [UNGRANTED, 'CCCCC-00001']) {
      expect(await client.send('POST', `/safari/${code}/v2/pushPackages/${PUSH_ID}`)).toMatchObject(notFound);
    }
    const view = world.applications.get(APPLICATION)!;
    view.platforms[0]!.enabled = false;
    world.clock.advance(60_000);
    const other = await openClient(world);
    expect(await other.send('POST', `/safari/${APPLICATION}/v2/log`)).toMatchObject(notFound);
    await other.close();
  });

  it('refuses an invalid hwid, and a body that is not an object', async () => {
    const refused = await call('POST', `pushPackages/${PUSH_ID}`, { body: { hwid: ['a'] } });
    expect(refused).toMatchObject({ status: 400, body: { code: 3 } });
    expect(await call('POST', `pushPackages/${PUSH_ID}`, { body: [] })).toMatchObject({ status: 400 });
    const large = await call('POST', `pushPackages/${PUSH_ID}`, { body: { hwid: 'x'.repeat(65_536) } });
    expect(large).toMatchObject({ status: 413 });
  });

  it('limits new packages by application and address', async () => {
    const now = world.clock.now();
    const other = await openClient(world, { clock: { now: () => now } });
    const packageFor = (body: object) =>
      other.send('POST', `/safari/${APPLICATION}/v2/pushPackages/${PUSH_ID}`, JSON.stringify(body));
    for (let i = 0; i < 300; i++) expect((await packageFor({ hwid: `h${i}` })).status).toBe(200);
    expect(await packageFor({ hwid: 'h' })).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect((await packageFor({})).status).toBe(200);
    await other.close();
  });

  it('registers the device of the visitor, and unregisters it', async () => {
    expect(await call('POST', registration('AB34'), { hwid: 'visitor-1' })).toMatchObject({ status: 200 });
    expect(await call('DELETE', registration('ab12'), { hwid: 'phone-1' })).toMatchObject({ status: 200 });
    expect(world.commands).toMatchObject([
      {
        account: 'a',
        application: APPLICATION,
        hwid: 'visitor-1',
        command: { $case: 'register', value: { platform: Platform.Safari, pushToken: 'AB34', onlyPlatform: true } },
      },
      {
        application: APPLICATION,
        hwid: 'phone-1',
        command: { $case: 'unregister', value: { platform: Platform.Safari } },
      },
    ]);
  });

  it('unregisters no device without its push token', async () => {
    expect(await call('DELETE', registration('cd34'), { hwid: 'phone-1' })).toMatchObject({ status: 200 });
    expect(await call('DELETE', registration('ab12'), { hwid: 'visitor-1' })).toMatchObject({ status: 200 });
    expect(world.commands).toEqual([]);
  });

  it('does not reveal that a hwid belongs to another platform', async () => {
    world.faults.set('visitor-1', { kind: 'argument', publicText: 'The device has another platform' } as never);
    expect(await call('POST', registration('ab12'), { hwid: 'visitor-1' })).toMatchObject({ status: 200 });
  });

  it('registers only by a signed token, and unregisters also by a token of version 0.1.0', async () => {
    const header = (token: string) => ({ headers: { authorization: `ApplePushNotifications ${token}` } });
    const signed = authenticationTokenOf(key, APPLICATION, { hwid: 'phone-1' });
    const [prefix, , signature] = signed.split('.');
    const unsigned = [prefix, Buffer.from('phone-1').toString('base64url')].join('.');
    const forged = [prefix, Buffer.from('phone-2').toString('base64url'), signature].join('.');
    for (const token of [unsigned, forged]) {
      expect(await call('POST', registration('ab12'), header(token))).toMatchObject({ status: 401 });
    }
    expect(world.commands).toEqual([]);
    for (const token of [unsigned, hash('sha256', APPLICATION).slice(0, 32)]) {
      expect(await call('DELETE', registration('ab12'), header(token))).toMatchObject({ status: 200 });
    }
    expect(world.commands).toMatchObject([{ hwid: 'phone-1' }, { hwid: 'phone-1' }]);
  });

  it('limits registrations by application and address', async () => {
    const now = world.clock.now();
    const other = await openClient(world, { clock: { now: () => now } });
    const headers = {
      authorization: `ApplePushNotifications ${authenticationTokenOf(key, APPLICATION, { hwid: 'h' })}`,
    };
    const report = (verb: string) =>
      other.send(verb, `/safari/${APPLICATION}/v2/${registration('cd34')}`, undefined, headers);
    for (let i = 0; i < 150; i++) {
      expect((await report('POST')).status).toBe(200);
      expect((await report('DELETE')).status).toBe(200);
    }
    expect(await report('POST')).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(await report('DELETE')).toMatchObject({ status: 429 });
    await other.close();
  });

  it('leaves the registration to the page if the token names no device, and unregisters the device with the push token', async () => {
    expect(await call('POST', registration('ab12'))).toMatchObject({ status: 200 });
    expect(world.commands).toEqual([]);
    expect(await call('DELETE', registration('ab12'))).toMatchObject({ status: 200 });
    expect(await call('DELETE', registration('cd34'))).toMatchObject({ status: 200 });
    expect(world.commands).toMatchObject([{ hwid: 'phone-1', command: { $case: 'unregister' } }]);
  });

  it.each(['', 'Token api', 'ApplePushNotifications 0123456789abcdef0123456789abcdef'])(
    'refuses the authorization %j',
    async (authorization) => {
      for (const verb of ['POST', 'DELETE']) {
        const refused = await call(verb, registration('ab12'), { headers: { authorization } });
        expect(refused).toMatchObject({ status: 401, body: { code: 16 } });
      }
      expect(world.commands).toEqual([]);
    },
  );

  it('accepts logs of any form', async () => {
    for (const body of [{ logs: ['a', 'b'] }, { logs: 'a' }, { logs: [{}] }, {}]) {
      expect(await call('POST', 'log', { body })).toMatchObject({ status: 200 });
    }
  });
});
