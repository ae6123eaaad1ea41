import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken } from '@tidings/simulators';
import {
  brokenInvariants,
  funnelFigures,
  listedMessage,
  type Parameters,
  platform,
  type PlatformWorld,
  pushCertificate,
} from '@tidings/testing';
import { unzipSync } from 'fflate';

const SAFARI = 10;
const PUSH_ID = 'web.com.example.news';

let world: PlatformWorld;
let application: string;

beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  application = await world.application({ title: 'The {{News}}' });
  await world.call('setDebug', { code: application });
  await world.call('configureApplication', {
    application,
    device_type: SAFARI,
    safari_key_management_type: 'manual',
    safari_url_template: 'https://news.example/%@?n=%@',
    safari_allowed_domains: ['https://news.example'],
    safari_key_file: pushCertificate('Website', { uid: PUSH_ID, password: 's' }).p12,
    safari_key_password: 's',
  });
});
afterAll(() => world?.stop());

const register = (hwid: string, token: string) =>
  world.call('registerDevice', { application, hwid, device_type: SAFARI, push_token: token });
async function send(devices: readonly string[], more: Parameters = {}): Promise<string> {
  const notification = { content: 'Hello', devices, ...more };
  const { Messages } = await world.call('createMessage', { application, notifications: [notification] });
  await world.settle();
  return Messages[0]!;
}
const payloadsTo = (token: string): Record<string, unknown>[] =>
  world.simulators.ledger
    .of('apns')
    .entries({ token, limit: Infinity })
    .map(({ payload }) => JSON.parse(payload!) as Record<string, unknown>);
const hash = expect.stringMatching(/^P_0_/) as unknown;

describe('a push to Safari (R-I22)', () => {
  const token = apnsToken('accepted', 9100);
  beforeAll(() => register('visitor', token.toUpperCase()));

  it('has the keys of Safari, and is counted as web push', async () => {
    const code = await send(['visitor'], {
      title: 'common',
      data: { k: 1 },
      link: 'https://example.com/',
      safari_ttl: 60,
      safari_title: { default: 'Sale' },
      safari_action: 'Read',
      safari_url_args: ['sale', '7'],
    });
    expect(payloadsTo(token).at(-1)).toEqual({
      aps: { alert: { title: 'Sale', body: 'Hello', action: 'Read' }, 'url-args': ['sale', '7'] },
      p: hash,
    });
    const funnel = await world.call('getDeliveryFunnel', { message_code: code });
    expect(funnelFigures(funnel, SAFARI, 'WEB_PUSH')).toMatchObject({ audience: 1, eligible: 1, sent: 1, failed: 0 });
    const metrics = (await listedMessage(world, application, code))!.push_info?.metrics ?? [];
    expect(brokenInvariants(funnel, metrics)).toEqual([]);
  });

  it('has the title of the message, else that of the application', async () => {
    await send(['visitor'], { title: 'Titled' });
    await send(['visitor']);
    const alert = (title: string) => ({ aps: { alert: { title, body: 'Hello' }, 'url-args': [] }, p: hash });
    expect(payloadsTo(token).slice(-2)).toEqual([alert('Titled'), alert('The {{News}}')]);
  });

  it('removes a dead token from its device', async () => {
    const dead = apnsToken('dead', 9101);
    await register('gone', dead);
    const code = await send(['gone']);
    const funnel = await world.call('getDeliveryFunnel', { message_code: code });
    expect(funnelFigures(funnel, SAFARI, 'WEB_PUSH')).toMatchObject({ sent: 0, failed: 1 });
    expect(await world.call('checkDevice', { application, hwid: 'gone' })).toMatchObject({ push_token_exist: false });
  });
});

describe('the web service of push packages (R-B4)', () => {
  interface Website {
    readonly authenticationToken: string;
    readonly webServiceURL: string;
  }
  async function visit(userInfo: object): Promise<{ report(verb: string, token: string): Promise<number> }> {
    const base = `${world.url}/safari/${application}/v2`;
    const sent = await fetch(`${base}/pushPackages/${PUSH_ID}`, { method: 'POST', body: JSON.stringify(userInfo) });
    expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const files = unzipSync(new Uint8Array(await sent.arrayBuffer()));
    const website = JSON.parse(Buffer.from(files['website.json']!).toString()) as Website;
    expect(website).toMatchObject({ websitePushID: PUSH_ID, websiteName: 'The {{News}}' });
    const report = async (method: string, token: string): Promise<number> => {
      const url = `${website.webServiceURL}/v2/devices/${token}/registrations/${PUSH_ID}`;
      const headers = { authorization: `ApplePushNotifications ${website.authenticationToken}` };
      return (await fetch(url, { method, headers })).status;
    };
    return { report };
  }
  const hasToken = async (hwid: string): Promise<boolean> =>
    (await world.call('checkDevice', { application, hwid })).push_token_exist;

  it('registers the device that the page names, until its visitor revokes the permission', async () => {
    const token = apnsToken('accepted', 9102);
    const { report } = await visit({ hwid: 'Zoë 1' });
    expect(await report('POST', token.toUpperCase())).toBe(200);
    await send(['Zoë 1']);
    expect(payloadsTo(token)).toHaveLength(1);
    expect(await report('DELETE', token.toUpperCase())).toBe(200);
    await send(['Zoë 1']);
    expect(payloadsTo(token)).toHaveLength(1);
  });

  it('leaves registrations to a page that names no device, and unregisters the one with the token', async () => {
    const token = apnsToken('accepted', 9103);
    const { report } = await visit({});
    expect(await report('POST', token)).toBe(200);
    expect(await world.call('checkDevice', { application, hwid: token })).toMatchObject({ exist: false });
    await register('own', token);
    expect(await hasToken('own')).toBe(true);
    expect(await report('DELETE', token.toUpperCase())).toBe(200);
    await send(['own']);
    expect(payloadsTo(token)).toEqual([]);
  });
});
