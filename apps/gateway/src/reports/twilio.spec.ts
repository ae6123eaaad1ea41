import { createHmac } from 'node:crypto';
import { ReportKind, Reports } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { ApplicationView } from '@tidings/rpc';
import { keysFrom, seal } from '@tidings/runtime';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { APPLICATION, UNGRANTED, World } from '../testing/gateway-world.ts';

const TOKEN = 'auth-token';
const PUBLIC_URL = 'https://push.example.com';
const HASH = 'P_423M_lQlKFY_bEL-4nm3p4-4bbkUN';
const HWID = 'phone-1';
const PATH = `/webhooks/twilio/${APPLICATION}?p=${HASH}`;

const { master } = keysFrom(new Uint8Array(32).fill(7));
let settings: Readonly<Record<string, string>>;
let world: World;
let client: Client;

beforeEach(async () => {
  settings = { sms_http_token: TOKEN };
  world = new World();
  const platforms = [{ platform: Platform.Sms, enabled: true, configured: true, credentialVersion: 1 }];
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
    publicUrl: PUBLIC_URL,
    services: { ...world.services, platforms: { ...world.services.platforms, getCredential } },
  });
});
afterEach(() => client.close());

const formOf = (status: string, to = HWID) => ({
  MessageSid: 'SM1',
  MessageStatus: status,
  To: to,
  AccountSid: 'AC17',
});
const signed = (path: string, form: Readonly<Record<string, string>>, token = TOKEN): string => {
  const fields = Object.entries(form).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHmac('sha1', token)
    .update(PUBLIC_URL + path + fields.flat().join(''))
    .digest('base64');
};
const post = (form: Readonly<Record<string, string>>, path = PATH, signature = signed(path, form)) =>
  client.send(
    'POST',
    path,
    new URLSearchParams(form).toString(),
    signature === '' ? {} : { 'x-twilio-signature': signature },
  );
const forbidden = { status: 403, body: { code: 7, details: [] } };
const notFound = { status: 404, body: { code: 5, message: 'Not Found', details: [] } };
const reports = (): Reports[] => world.records.map(({ value }) => Reports.decode(value));

describe('the webhook of Twilio', () => {
  it('reports a message that arrived as delivered before it answers', async () => {
    for (const status of ['queued', 'sent', 'undelivered', 'failed']) {
      expect(await post(formOf(status))).toMatchObject({ status: 200, body: undefined });
    }
    expect(reports()).toEqual([]);
    expect(await post(formOf('delivered'))).toMatchObject({ status: 200, body: undefined });
    expect(reports()).toMatchObject([
      { message: 'AF0B-EEFE4D5E-E445B2E9', application: APPLICATION, kind: ReportKind.REPORT_KIND_DELIVERED },
    ]);
  });

  it('has no effect for unknown devices and messages', async () => {
    const path = `/webhooks/twilio/${APPLICATION}`;
    for (const query of ['', '?p=', '?p=x', '?p=P_423M_lQlKFY_bEL-4nm3p4-4bbkUM']) {
      expect(await post(formOf('delivered'), path + query)).toMatchObject({ status: 200 });
    }
    for (const to of ['other', '']) expect(await post(formOf('delivered', to))).toMatchObject({ status: 200 });
    expect(reports()).toEqual([]);
  });

  it('refuses a request without the signature of exactly this form and address', async () => {
    const form = formOf('delivered');
    const other = `/webhooks/twilio/${APPLICATION}?p=P_1_2_3-4-5`;
    for (const signature of [
      '',
      'AAAA',
      signed(PATH, form, 'other'),
      signed(PATH, formOf('read')),
      signed(other, form),
    ]) {
      expect(await post(form, PATH, signature)).toMatchObject(forbidden);
    }
    expect(reports()).toEqual([]);
  });

  it('refuses every request without an auth token', async () => {
    settings = {};
    expect(await post(formOf('delivered'))).toMatchObject(forbidden);
    expect(reports()).toEqual([]);
  });

  it('exists only for applications with SMS, and accepts forms of up to 64 KiB', async () => {
    for (const code of [UNGRANTED, 'CCCCC-00009']) {
      expect(await post(formOf('delivered'), `/webhooks/twilio/${code}`)).toMatchObject(notFound);
    }
    expect(await post({ Body: 'x'.repeat(65_536) })).toMatchObject({ status: 413 });
    expect(await client.send('GET', PATH)).toMatchObject({ status: 405 });
  });
});
