import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wnsChannelPath, wnsReasonPath } from '@tidings/simulators';
import {
  brokenInvariants,
  funnelFigures,
  listedMessage,
  type Parameters,
  platform,
  type PlatformWorld,
} from '@tidings/testing';

const WINDOWS = 8;
const client = { id: 'ms-app://s-1-15-2-4711', secret: 'of the app' };

let world: PlatformWorld;
let application: string;

beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  application = await world.application();
  await world.call('setDebug', { code: application });
  world.simulators.keys.register({ clients: [client] });
  await configure(client.secret);
});
afterAll(() => world?.stop());

const configure = (wns_secret: string) =>
  world.call('configureApplication', { application, device_type: WINDOWS, wns_psid: client.id, wns_secret });
const register = (hwid: string, path: string, origin = world.simulators.urlOf('wns')) =>
  world.call('registerDevice', { application, hwid, device_type: WINDOWS, push_token: origin + path });
async function send(devices: readonly string[], more: Parameters = {}): Promise<string> {
  const notification = { content: 'Hello', devices, ...more };
  const { Messages } = await world.call('createMessage', { application, notifications: [notification] });
  await world.settle();
  return Messages[0]!;
}
const funnelOf = (code: string) => world.call('getDeliveryFunnel', { message_code: code });
const figuresOf = async (code: string) => funnelFigures(await funnelOf(code), WINDOWS, 'OTHER');
const bodiesTo = (token: string): string[] =>
  world.simulators.ledger
    .of('wns')
    .entries({ token, limit: Infinity })
    .map(({ payload }) => payload!);
const hasToken = async (hwid: string): Promise<boolean> =>
  (await world.call('checkDevice', { application, hwid })).push_token_exist;

describe('Windows', () => {
  it('shows a toast of the texts, or the toast of the caller, and reports opens', async () => {
    const path = wnsChannelPath('accepted', 1);
    await register('pc', path);
    const code = await send(['pc'], { title: 'A & B', link: 'https://example.com/', minimize_link: 0, wns_ttl: 60 });
    const [, launch = '', lines] = /launch="([^"]*)".*ToastGeneric">(.*)<\/binding>/.exec(bodiesTo(path).at(-1)!)!;
    expect(lines).toBe('<text>A &amp; B</text><text>Hello</text>');
    const { p: hash, l } = JSON.parse(launch.replaceAll('&quot;', '"')) as Record<string, string>;
    expect(l).toBe('https://example.com/');
    await world.call('pushStat', { application, hwid: 'pc', hash: hash! });
    await world.settle();
    const funnel = await funnelOf(code);
    expect(funnelFigures(funnel, WINDOWS, 'OTHER')).toMatchObject({ audience: 1, sent: 1, failed: 0, opened: 1 });
    const metrics = (await listedMessage(world, application, code))?.push_info?.metrics ?? [];
    expect(brokenInvariants(funnel, metrics)).toEqual([]);
    const wns_content = { en: Buffer.from('<badge value="7"/>').toString('base64') };
    await send(['pc'], { content: undefined, wns_content, wns_type: 'Badge', wns_tag: 'n1', wns_cache: 1 });
    expect(bodiesTo(path).at(-1)).toBe('<badge value="7"/>');
    expect(world.simulators.ledger.of('wns').entries({ token: path }).at(-1)).toMatchObject({ collapseId: 'n1' });
  });

  it('has the block of its locale in notify (R-O4)', async () => {
    const path = wnsChannelPath('accepted', 2);
    await register('pc 2', path);
    const content = Buffer.from('<tile/>').toString('base64');
    const localized_content = { en: { default: { body: 'x' }, windows: { title: 'T', content, type: 'Tile' } } };
    const open_actions = { [WINDOWS]: { link: { url: 'https://example.com/w' } } };
    const notify = (payload: object) =>
      world.call('notify', { transactional: { application, hwids: { list: ['pc 2'] }, payload } });
    await notify({ content: { localized_content } });
    await world.settle();
    expect(bodiesTo(path)).toEqual(['<tile/>']);
    await notify({ content: { localized_content: { en: { windows: { body: 'W' } } } }, open_actions });
    await world.settle();
    expect(bodiesTo(path)[1]).toMatch(/"\{&quot;l&quot;:&quot;https:\/\/example.com\/w&quot;.*<text>W<\/text>/);
  });

  it('removes channels that have ended, and sends its token to no other host', async () => {
    await register('gone', wnsChannelPath('dead', 3));
    await register('dropped', wnsReasonPath('dropped', 4));
    await register('foreign', '/w/?token=accepted.0.5', 'https://wns.example.com');
    const code = await send(['gone', 'dropped', 'foreign']);
    expect(await figuresOf(code)).toMatchObject({ sent: 0, errors: { INVALID_TOKEN: 2, PROVIDER_ERROR: 1 } });
    expect(await Promise.all(['gone', 'dropped', 'foreign'].map(hasToken))).toEqual([false, true, true]);
  });

  it('fails while its secret is refused, and gets a new access token after a refused one', async () => {
    await register('pc 3', wnsChannelPath('expiredAuth', 6));
    expect(await figuresOf(await send(['pc 3']))).toMatchObject({ sent: 1, failed: 0 });
    await configure('another');
    expect(await figuresOf(await send(['pc 3']))).toMatchObject({ errors: { INVALID_CONFIGURATION: 1 } });
    await configure(client.secret);
    expect(await figuresOf(await send(['pc 3']))).toMatchObject({ sent: 1 });
  });
});
