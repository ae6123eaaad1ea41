import { LINK_MS, linkKeyOf, targetMac, type LinkPurpose, LinkTokens, LINK_TOKEN_LENGTH } from '@tidings/messaging';
import { MailOpen, ReportKind, Reports } from '@tidings/events';
import { mailPaths } from '@tidings/channels';
import { ApplicationView, DeviceDescription } from '@tidings/rpc';
import { keysFrom } from '@tidings/runtime';
import { type Answer, type Client, openClient } from '../testing/gateway-client.ts';
import { APPLICATION, World } from '../testing/gateway-world.ts';

const { identity } = keysFrom(new Uint8Array(32));
const key = linkKeyOf(identity.report);
const CODE = 'AF0B-EEFE4D5E-E445B2E9';
const HWID = 'anna@example.com';
const SEQ = 70_000;
const FORMER = SEQ + 2;
const SHOP = 'Shop <&> "Co"';

let world: World;
let client: Client;
let tags: Record<string, unknown>;

beforeEach(async () => {
  world = new World();
  world.applications.set(APPLICATION, ApplicationView.fromPartial({ account: 'a', code: APPLICATION, title: SHOP }));
  tags = {};
  client = await openClient(world, {
    services: {
      ...world.services,
      devices: {
        ...world.devices,
        async apply(request) {
          for (const { command } of request.commands)
            if (command?.$case === 'setTags')
              for (const [name, value] of Object.entries(command.value.tags as object))
                if (value === null) delete tags[name];
                else tags[name] = value;
          return world.devices.apply(request);
        },
        describe: async ({ account, application, seqs }) => ({
          devices: seqs.map((seq) =>
            DeviceDescription.fromPartial(
              account === 'a' && application === APPLICATION && (seq === SEQ || seq === FORMER)
                ? { found: true, hwid: HWID, token: seq === SEQ ? HWID : '' }
                : {},
            ),
          ),
          applicationTitle: SHOP,
          mailFrom: '',
          badges: [],
        }),
        findContacts: async ({ email }) => ({ hwids: email === HWID ? ['crm-1', HWID] : [] }),
        getTags: async () => ({ tags, integers: {} }),
      },
    },
  });
});
afterEach(() => client.close());

interface Signed {
  readonly application?: string;
  readonly seq?: number;
  readonly writtenAt?: number;
}

function token(
  purpose: LinkPurpose,
  { application = APPLICATION, seq = SEQ, writtenAt = world.clock.now() - 60_000 }: Signed = {},
): string {
  const message = { application, message: CODE, messageId: 20_012_343_258n };
  const target = Buffer.alloc(LINK_TOKEN_LENGTH);
  new LinkTokens(key, message, { now: () => writtenAt }).write(target, 0, purpose, seq);
  return target.toString('latin1');
}
const link = (of?: Signed): string => mailPaths.unsubscribe + token('preferences', of);
const post = (path: string, body = 'List-Unsubscribe=One-Click'): Promise<Answer> =>
  client.send('POST', path, body, { 'content-type': 'application/x-www-form-urlencoded' });
const reports = (): Reports[] => world.records.map(({ value }) => Reports.decode(value));
const textOf = ({ body }: Answer): string => String(body);

describe('the unsubscribe link (R-E11)', () => {
  it('unsubscribes by POST, however often', async () => {
    const path = link();
    for (const body of ['List-Unsubscribe=One-Click', '', '--x\r\nContent-Disposition: form-data; name="List-Unsub'])
      expect((await post(path, body)).status).toBe(200);
    expect(tags).toEqual({ 'Unsubscribed Emails': true });
    expect(world.commands[0]).toMatchObject({
      account: 'a',
      application: APPLICATION,
      hwid: HWID,
      platform: undefined,
    });
    expect(reports()[0]).toMatchObject({
      kind: ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED,
      message: CODE,
      account: 'a',
      application: APPLICATION,
      chunk: 1,
      positions: [SEQ - 65_536],
      platforms: [14],
      details: [''],
    });
  });

  it('unsubscribes the contact that has taken the address of the recipient, too (R-E1)', async () => {
    const answer = await post(link({ seq: FORMER }));
    expect(textOf(answer)).toContain('a…@example.com receives no marketing e-mails');
    const value = { tags: { 'Unsubscribed Emails': true } };
    expect(world.commands).toMatchObject(['crm-1', HWID].map((hwid) => ({ hwid, command: { value } })));
  });

  it('shows a page without scripts by GET, and changes nothing', async () => {
    world.categories = ['News', '<b>"Offers" & more</b>'];
    tags = { 'Unsubscribed Categories': ['News'] };
    const answer = await client.send('GET', link());
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-.{44}'; /) as unknown,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    });
    const page = textOf(answer);
    expect(page).toContain('a…@example.com receives marketing e-mails from Shop &lt;&amp;&gt; &quot;Co&quot;.');
    expect(page).toContain('<input type="checkbox" name="category" value="News"> News');
    expect(page).toContain(
      'value="&lt;b&gt;&quot;Offers&quot; &amp; more&lt;/b&gt;" checked> &lt;b&gt;&quot;Offers&quot; &amp; more&lt;/b&gt;<',
    );
    expect(page).not.toMatch(/<script|<img|https?:/);
    await client.send('HEAD', link());
    expect(tags).toEqual({ 'Unsubscribed Categories': ['News'] });
    expect(world.commands).toEqual([]);
    expect(world.records).toEqual([]);
  });

  it('stores the chosen categories, and subscribes again', async () => {
    world.categories = ['News', 'Offers'];
    tags = { 'Unsubscribed Emails': true, 'Unsubscribed Categories': ['Old', 'Offers'] };
    const answer = await post(link(), 'choice=save&category=Offers&category=Unknown');
    expect(answer.status).toBe(200);
    expect(textOf(answer)).toContain('<strong>Your choice is saved.</strong>');
    expect(tags).toEqual({ 'Unsubscribed Categories': ['Old', 'News'] });
    expect(reports()).toMatchObject([{ kind: ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED, details: ['News'] }]);
    await post(link(), 'choice=save&category=Offers&category=News');
    expect(tags).toEqual({ 'Unsubscribed Categories': ['Old'] });
    await post(link(), 'choice=none');
    expect(tags).toEqual({ 'Unsubscribed Emails': true, 'Unsubscribed Categories': ['Old'] });
    // The page of an unsubscribed contact has nothing chosen, so saving it does not subscribe again.
    await post(link(), 'choice=save');
    expect(tags).toEqual({ 'Unsubscribed Emails': true, 'Unsubscribed Categories': ['Old', 'News', 'Offers'] });
    expect(reports().map(({ details }) => details)).toEqual([['News'], [''], ['']]);
  });

  it('offers the categories that the contact has left if none are defined', async () => {
    tags = { 'Unsubscribed Categories': ['News'] };
    expect(textOf(await client.send('GET', link()))).toContain('value="News">');
    await post(link(), 'choice=save');
    expect(tags).toEqual({ 'Unsubscribed Categories': ['News'] });
    await post(link(), 'choice=save&category=News');
    expect(tags).toEqual({});
    await post(link());
    expect(textOf(await client.send('GET', link()))).toContain('>Subscribe again</button>');
    await post(link(), 'choice=save');
    expect(tags).toEqual({});
  });

  it('has no effect if it is forged, too old, of another kind, or of a deleted contact or application', async () => {
    const genuine = token('preferences');
    const dead = [
      mailPaths.unsubscribe + genuine.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      mailPaths.unsubscribe + genuine.slice(0, -4),
      `${mailPaths.unsubscribe}x`,
      mailPaths.unsubscribe + token('tracking'),
      link({ writtenAt: world.clock.now() - LINK_MS }),
      link({ seq: SEQ + 1 }),
      link({ application: 'AAAAA-99999' }),
      link({ application: 'BBBBB-00001' }),
    ];
    for (const path of dead) {
      for (const answer of [await client.send('GET', path), await post(path), await post(path, 'choice=save')]) {
        expect(answer.status).toBe(403);
        expect(textOf(answer)).toContain('The link has expired or is not valid. Nothing was changed.');
      }
    }
    expect(world.commands).toEqual([]);
    expect(world.records).toEqual([]);
    expect((await post(link({ writtenAt: world.clock.now() - LINK_MS + 60_000 }))).status).toBe(200);
  });

  it('limits bodies, verbs, and the requests about a contact, by pages with the usual protection', async () => {
    const guarded = {
      'content-security-policy': expect.stringMatching(/^default-src 'none'; /) as unknown,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    };
    expect(await post(link(), 'x'.repeat(1024 * 1024 + 1))).toMatchObject({ status: 413, headers: guarded });
    expect(await client.send('PUT', link(), '')).toMatchObject({
      status: 405,
      headers: { ...guarded, allow: 'GET, POST' },
    });
    const answers: Answer[] = [];
    // One more is allowed with each second that they take.
    while (answers.at(-1)?.status !== 429 && answers.length < 1000) answers.push(await client.send('GET', link()));
    expect(new Set(answers.slice(0, 50).map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.at(-1)).toMatchObject({
      status: 429,
      headers: { ...guarded, 'retry-after': expect.stringMatching(/^\d+$/) as unknown },
    });
    expect(tags).toEqual({});
  });
});

describe('the tracking links of a mail (R-E17)', () => {
  const AGENT = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  const TARGET = 'https://bücher.example/a b?c=1&d=%26#e';
  const get = (path: string, agent: string | undefined = AGENT, verb = 'GET'): Promise<Answer> =>
    client.send(verb, path, '', agent === '' ? {} : { 'user-agent': agent });
  const click = (of: Signed = {}, target = TARGET, mac?: string): string => {
    const message = { application: of.application ?? APPLICATION, message: CODE };
    const query = new URLSearchParams({ to: target }).toString();
    return `${mailPaths.click}${token('tracking', of)}/${mac ?? targetMac(key, message, target)}?${query}`;
  };
  const open = (of?: Signed): string => mailPaths.open + token('tracking', of);

  it('answer an image, and report the opening recipient', async () => {
    expect(await get(open())).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/gif', 'content-length': '42', 'cache-control': 'no-store' },
    });
    await get(open(), 'Mozilla/5.0');
    await get(open(), '');
    await get(open(), AGENT, 'HEAD');
    await get(open({ writtenAt: world.clock.now() }));
    expect(reports().map(({ opens }) => opens)).toEqual([
      [MailOpen.MAIL_OPEN_HUMAN],
      [MailOpen.MAIL_OPEN_MACHINE_AMPP],
      [MailOpen.MAIL_OPEN_UNKNOWN],
      [MailOpen.MAIL_OPEN_MACHINE],
      [MailOpen.MAIL_OPEN_MACHINE],
    ]);
    expect(reports()[0]).toMatchObject({
      kind: ReportKind.REPORT_KIND_MAIL_OPENED,
      message: CODE,
      account: 'a',
      application: APPLICATION,
      chunk: 1,
      positions: [SEQ - 65_536],
      platforms: [14],
      details: [],
    });
  });

  it('redirect to their target, and report clicks of recipients', async () => {
    expect(await get(click())).toMatchObject({
      status: 302,
      headers: { location: 'https://xn--bcher-kva.example/a%20b?c=1&d=%26#e', 'referrer-policy': 'no-referrer' },
    });
    expect(reports()).toMatchObject([
      { kind: ReportKind.REPORT_KIND_MAIL_OPENED, opens: [MailOpen.MAIL_OPEN_HUMAN], details: [] },
      { kind: ReportKind.REPORT_KIND_MAIL_CLICKED, opens: [], details: [] },
      { kind: ReportKind.REPORT_KIND_MAIL_CLICKED, opens: [], details: [TARGET] },
    ]);
    const others: [string, string, string?][] = [
      [click(), 'Barracuda Sentinel'],
      [click(), ''],
      [click(), AGENT, 'HEAD'],
      [click({ writtenAt: world.clock.now() }), AGENT],
    ];
    for (const [path, agent, verb] of others) expect((await get(path, agent, verb)).status).toBe(302);
    expect(reports()).toHaveLength(3);
  });

  it('redirect nowhere else', async () => {
    const evil = 'https://evil.example/';
    const dead = [
      click({}, evil, targetMac(key, { application: APPLICATION, message: CODE }, TARGET)),
      click({}, evil, targetMac(key, { application: APPLICATION, message: 'AF0B-EEFE4D5E-E445B2E8' }, evil)),
      click({}, evil, 'x'),
      click({}, 'javascript:alert(1)', 'x'),
      click().replace(/to=.*/, ''),
      click({ writtenAt: world.clock.now() - LINK_MS }),
      click({ application: 'AAAAA-99999' }),
      click().replace(token('tracking').slice(0, 8), 'AAAAAAAA'),
      mailPaths.open + token('preferences'),
      `${mailPaths.open}x`,
    ];
    for (const path of dead) {
      const { status, headers } = await get(path);
      expect([status, headers['location']]).toEqual([403, undefined]);
    }
    expect(reports()).toEqual([]);
  });

  it('redirect without a report beyond the limit of a recipient, and without a topic', async () => {
    const statuses: number[] = [];
    // One more is counted with each second that they take.
    while (reports().length === 3 * statuses.length && statuses.length < 1000)
      statuses.push((await get(click())).status);
    expect(new Set(statuses)).toEqual(new Set([302]));
    expect(statuses.length).toBeGreaterThan(50);
    expect(reports().length).toBeLessThan(3 * statuses.length);
    const refused = () => Promise.reject(new Error('no topic'));
    const broken = await openClient(world, { broker: { publish: refused, subscribe: refused, addTopic: refused } });
    const answer = await broken.send('GET', click({ seq: SEQ + 1 }), '', { 'user-agent': AGENT });
    expect(answer.status).toBe(302);
    await broken.close();
  });
});
