import { createHmac } from 'node:crypto';
import { ReportKind, Reports } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { ApplicationView } from '@tidings/rpc';
import { keysFrom, seal } from '@tidings/runtime';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { APPLICATION, UNGRANTED, World } from '../testing/gateway-world.ts';

const SECRET = 'app-secret';
const VERIFY = 'verify-token';
const CHALLENGE = 1_158_201_444;
const HASH = 'P_423M_lQlKFY_bEL-4nm3p4-4bbkUN';
const HWID = 'phone-1';
const PATH = `/webhooks/whatsapp/${APPLICATION}`;

const { master } = keysFrom(new Uint8Array(32).fill(7));
let settings: Readonly<Record<string, string>>;
let world: World;
let client: Client;

beforeEach(async () => {
  settings = { whats_app_app_secret: SECRET, whats_app_verify_token: VERIFY };
  world = new World();
  const platforms = [{ platform: Platform.WhatsApp, enabled: true, configured: true, credentialVersion: 1 }];
  world.applications.set(APPLICATION, ApplicationView.fromPartial({ account: 'a', code: APPLICATION, platforms }));
  const getCredential = async ({ application, platform }: { application: string; platform: number }) => {
    const sealed = Object.entries(settings).map(([field, text]): [string, Buffer] => [
      field,
      Buffer.from(seal(master, { application, field }, text)),
    ]);
    return { application, platform, version: 1, exists: true, settings: {}, sealed: Object.fromEntries(sealed) };
  };
  client = await openClient(world, {
    masterKeys: master,
    services: { ...world.services, platforms: { ...world.services.platforms, getCredential } },
  });
});
afterEach(() => client.close());

const signed = (bytes: Buffer, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
const statuses = (...each: readonly object[]): string =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ changes: [{ field: 'messages', value: { statuses: each } }] }],
  });
const status = (word: string, key: unknown = `${HASH} ${HWID}`) => ({
  id: 'wamid.1',
  status: word,
  timestamp: '1750263773',
  recipient_id: '491712345678',
  biz_opaque_callback_data: key,
});
const post = (text: string, signature: string | undefined = signed(Buffer.from(text)), path = PATH) =>
  client.send('POST', path, text, signature === '' ? {} : { 'x-hub-signature-256': signature });
const verify = (query: Readonly<Record<string, string>>, path = PATH) =>
  client.send(
    'GET',
    `${path}?${new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': String(CHALLENGE), ...query }).toString()}`,
  );
const forbidden = { status: 403, body: { code: 7, details: [] } };
const notFound = { status: 404, body: { code: 5, message: 'Not Found', details: [] } };
const reports = (): Reports[] => world.records.map(({ value }) => Reports.decode(value));

describe('the webhook of WhatsApp', () => {
  it('answers the challenge to a caller that has the verify token', async () => {
    const answer = await verify({ 'hub.verify_token': VERIFY });
    expect(answer).toMatchObject({ status: 200, body: CHALLENGE });
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    for (const query of [
      {},
      { 'hub.verify_token': 'other' },
      { 'hub.verify_token': VERIFY, 'hub.mode': 'unsubscribe' },
      { 'hub.verify_token': VERIFY, 'hub.challenge': '1'.repeat(256) },
    ]) {
      expect(await verify(query as Record<string, string>)).toMatchObject(forbidden);
    }
  });

  it('applies settings that are newer than the cached application', async () => {
    const configured = world.applications.get(APPLICATION)!;
    world.applications.set(APPLICATION, { ...configured, platforms: [] });
    expect(await verify({ 'hub.verify_token': VERIFY })).toMatchObject(notFound);
    world.applications.set(APPLICATION, configured);
    expect(await verify({ 'hub.verify_token': VERIFY })).toMatchObject({ status: 200, body: CHALLENGE });
  });

  it('reports each message that arrived as delivered, once, before it answers', async () => {
    const body = statuses(
      status('sent'),
      status('delivered'),
      status('read'),
      status('delivered', 'no hash'),
      status('failed'),
    );
    expect(await post(body)).toMatchObject({ status: 200, body: undefined });
    expect(reports()).toMatchObject([
      { message: 'AF0B-EEFE4D5E-E445B2E9', application: APPLICATION, kind: ReportKind.REPORT_KIND_DELIVERED },
    ]);
  });

  it('has no effect for unknown devices and messages', async () => {
    const unknown = [`${HASH} other`, `P_423M_lQlKFY_bEL-4nm3p4-4bbkUM ${HWID}`, HWID, HASH, ' ', ''];
    expect(await post(statuses(...unknown.map((key) => status('delivered', key))))).toMatchObject({ status: 200 });
    expect(reports()).toEqual([]);
  });

  it('refuses a request without the signature of exactly these bytes', async () => {
    const body = statuses(status('delivered'));
    for (const signature of ['', 'sha256=00', signed(Buffer.from(body), 'other'), signed(Buffer.from(`${body} `))]) {
      expect(await post(body, signature)).toMatchObject(forbidden);
    }
    expect(reports()).toEqual([]);
  });

  it('refuses every request without an app secret, and verifies none without a verify token', async () => {
    settings = {};
    expect(await post(statuses(status('delivered')))).toMatchObject(forbidden);
    expect(await verify({ 'hub.verify_token': '' })).toMatchObject(forbidden);
  });

  it('exists only for applications with WhatsApp', async () => {
    const other = `/webhooks/whatsapp/${UNGRANTED}`;
    expect(await post('{}', undefined, other)).toMatchObject(notFound);
    expect(await verify({ 'hub.verify_token': VERIFY }, other)).toMatchObject(notFound);
    expect(await post('{}', undefined, '/webhooks/whatsapp/CCCCC-00009')).toMatchObject(notFound);
    expect(await client.send('PUT', PATH, '{}')).toMatchObject({ status: 405 });
  });

  it('refuses a body that is not an object, or is larger than those of WhatsApp', async () => {
    expect(await post('[]')).toMatchObject({ status: 400 });
    expect(await post(statuses(...Array.from({ length: 1001 }, () => status('sent'))))).toMatchObject({ status: 413 });
    expect(await post(JSON.stringify({ x: 'x'.repeat(3 * 1024 * 1024) }))).toMatchObject({ status: 413 });
    expect(await post('{}')).toMatchObject({ status: 200 });
  });
});
