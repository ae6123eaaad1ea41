import { Preset } from '@tidings/events';
import { Platform, pushPlatforms } from '@tidings/kernel';
import type { AcceptMessagesRequest } from '@tidings/rpc';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = new World();
  client = await openClient(world);
});
afterAll(() => client.close());
beforeEach(() => {
  world.drafts.length = 0;
});

const notify = (request: object) =>
  client.send('POST', '/messaging/v2/notify', JSON.stringify(request), { authorization: 'Token api' });
const greeting = { content: { localized_content: { en: { default: { body: 'Hello' } } } } };
const segment = (more: object = {}) => ({ segment: { application: APPLICATION, payload: greeting, ...more } });
const transactional = (more: object = {}) => ({
  transactional: { application: APPLICATION, payload: greeting, ...more },
});

describe('notify', () => {
  it('drafts the message that createMessage would draft, with texts by locale and platform (R-O4)', async () => {
    const localized_content = {
      en: {
        default: { title: 'News', body: 'Hello', badges: '+1', ttl: 60 },
        ios: { body: 'Hello iOS', badges: '+1', ttl: '60.000000s' },
      },
      DE: { default: { body: 'Hallo', badges: '+1', ttl: 60 } },
    };
    const payload = {
      content: { localized_content },
      custom_data: { a: 1 },
      open_action: { link: { url: 'https://example.com', shortener: 'BITLY' } },
      open_actions: { 3: { rich_media: { code: 'X' } }, 1: { link: { url: 'https://a', shortener: 'BITLY' } } },
    };
    const more = { payload, meta_data: { b: 2 }, platforms: ['IOS', 3], frequency_capping: { days: 7, count: 2 } };
    const { status, body } = await notify({ transactionId: 'tx', ...segment(more) });
    expect([status, body]).toEqual([200, { result: { message_code: 'C0DE0-00000000' } }]);
    const entries = (en: string, de: string) => ({
      entries: [
        { language: 'en', text: en },
        { language: 'de', text: de },
      ],
    });
    expect(world.drafts).toMatchObject([
      {
        transactionId: 'tx',
        linkToShorten: 'https://example.com',
        actionsToShorten: [1],
        message: {
          source: 'API',
          transactional: false,
          hidden: false,
          listedRecipients: false,
          audience: { platforms: [1, 3] },
          content: {
            text: entries('Hello', 'Hallo'),
            title: entries('News', ''),
            data: '{"a":1}',
            metaData: '{"b":2}',
            ios: { text: entries('Hello iOS', 'Hallo'), title: entries('', ''), badge: '+1', ttlSeconds: 60 },
            android: { text: undefined, openAction: { richMedia: 'X', link: undefined } },
          },
        },
      },
    ]);
  });

  it('has blocks of macOS and browsers, and an entry in inboxes, in the fields of a notification (R-O1, R-O4)', async () => {
    const inbox = { image_url: 'https://example.com/i.png', expiration_date: '2100-01-02t23:59:59+02:00' };
    const localized_content = {
      en: {
        default: { title: 'News', body: 'Hello', sound: 'a.caf', ttl: 60, inbox },
        mac_os: { body: 'Hello Mac', root_params: { a: 1 }, badges: 3, inbox: {} },
        chrome: { body: 'Hello Chrome', ttl: '5s', image: 'https://i/{{Level}}', root_params: { a: 1 }, inbox },
      },
      de: {
        firefox: { title: 'Hallo', ttl: '90s' },
        safari: { title: 'Titel', body: 'Hallo Safari', url_args: ['7'], ttl: 60 },
      },
    };
    const open_actions = { 7: { link: { url: 'a://b' } }, 11: { rich_media: { code: 'X' } } };
    const { body } = await notify(segment({ payload: { content: { localized_content }, open_actions } }));
    expect(body).toEqual({ result: { message_code: 'C0DE0-00000000' } });
    const en = (text: string) => ({ entries: [{ language: 'en', text }] });
    const both = (english: string, german: string) => ({
      entries: [
        { language: 'en', text: english },
        { language: 'de', text: german },
      ],
    });
    expect(world.drafts).toMatchObject([
      {
        message: {
          content: {
            inbox: { removalDay: Date.parse('2100-01-02') / 86_400_000, image: 'https://example.com/i.png' },
            ios: { sound: 'a.caf', ttlSeconds: 60, text: undefined },
            mac: {
              text: en('Hello Mac'),
              title: en(''),
              badge: '3',
              rootParams: '{"a":1}',
              openAction: { link: 'a://b' },
            },
            chrome: { text: en('Hello Chrome'), ttlSeconds: 5, rootParams: '{"a":1}', openAction: { richMedia: 'X' } },
            firefox: { text: both('Hello', ''), title: both('News', 'Hallo'), icon: undefined, ttlSeconds: 60 },
            safari: { text: both('Hello', 'Hallo Safari'), title: both('News', 'Titel'), ttlSeconds: 60 },
            tags: ['Level'],
          },
        },
      },
    ]);
    const { mac, settings } = world.drafts[0]!.message.content!;
    expect(mac!.sound).toBeUndefined();
    expect(settings).toMatchObject([
      { language: 'en', safari: { urlArgs: [], ttlSeconds: 60 } },
      { language: 'de', safari: { urlArgs: ['7'], ttlSeconds: 60 } },
      { language: 'en', firefox: { ttlSeconds: 60 } },
      { language: 'de', firefox: { ttlSeconds: 90 } },
    ]);
  });

  it('has settings by locale if they differ, beside those of its preset (R-O4)', async () => {
    const localized_content = {
      en: { default: { body: 'Hello' }, android: { body: 'Hello', icon: 'en', badges: 1, ttl: '5s' } },
      DE: { android: { body: 'Hallo', icon: 'de', root_params: { a: 1 }, badges: '+2', silent: 0 } },
    };
    await notify(segment({ payload: { content: { localized_content }, silent: true } }));
    const { android, chrome, settings } = world.drafts[0]!.message.content!;
    expect(android).toMatchObject({ icon: 'en', badge: '1', rootParams: undefined, silent: true });
    expect(settings).toMatchObject([
      { language: 'en', android: { icon: 'en', badge: '1', ttlSeconds: 5, silent: true, text: undefined } },
      { language: 'de', android: { icon: 'de', badge: '+2', rootParams: '{"a":1}', silent: false } },
    ]);
    expect([chrome!.silent, ...settings.map(({ ios }) => ios)]).toEqual([true, undefined, undefined]);
  });

  it('gives Amazon devices their own block, with the settings of one (R-O4)', async () => {
    const amazon = { header: 'Title', body: 'Own', badges: '+1', ttl: '90s', icon: 'i', root_params: { a: 1 } };
    await notify(
      segment({ payload: { content: { localized_content: { en: { default: { body: 'Hello' }, amazon } } } } }),
    );
    expect(world.drafts[0]!.message.content!.amazon).toMatchObject({
      text: { entries: [{ language: 'en', text: 'Own' }] },
      title: { entries: [{ language: 'en', text: 'Title' }] },
      badge: '+1',
      ttlSeconds: 90,
      icon: 'i',
      rootParams: '{"a":1}',
    });
  });

  it('gives Huawei devices their own block, under either name of a text, else the default one (R-O4)', async () => {
    const huawei_android = { header: 'Titel', content: 'Eigener', lockscreen: 1, gcm_ttl: '60s' };
    const ios = { content: 'Eigener' };
    const localized_content = { en: { default: { body: 'Hello', sound: 'bell' } }, de: { huawei_android, ios } };
    await notify(segment({ payload: { content: { localized_content }, silent: true } }));
    const { huawei, settings, ios: ofIos } = world.drafts[0]!.message.content!;
    expect(ofIos!.text).toEqual(huawei!.text);
    expect(huawei).toMatchObject({
      text: {
        entries: [
          { language: 'en', text: 'Hello' },
          { language: 'de', text: 'Eigener' },
        ],
      },
      title: {
        entries: [
          { language: 'en', text: '' },
          { language: 'de', text: 'Titel' },
        ],
      },
      sound: 'bell',
      silent: true,
    });
    expect(settings.filter((each) => each.huawei)).toMatchObject([
      { language: 'en', huawei: { sound: 'bell', lockscreen: undefined } },
      { language: 'de', huawei: { sound: undefined, lockscreen: true, ttlSeconds: 60 } },
    ]);
  });

  it.each([
    [
      { en: { default: { inbox: { expiration_date: 'soon' } } } },
      '.en.default.inbox.expiration_date: must be after the send date',
    ],
    [
      { en: { ios: { inbox: { expiration_date: '2020-01-01' } } } },
      '.en.ios.inbox.expiration_date: must be after the send date',
    ],
    [{ en: { mac_os: { root_params: { a: 'a'.repeat(256) } } } }, '.en.mac_os.root_params: at most 256 bytes'],
    [{ en: { windows: { body: 'x', tag: '-' } } }, '.en.windows.tag: must be 1 to 16 letters or digits'],
    [{ en: { windows: { body: 'x', content: 'a!' } } }, '.en.windows.content: must be base64'],
    [{ en: { huawei_android: { body: 'x', priority: 3 } } }, '.en.huawei_android.priority: must be -2 to 2'],
    [{ en: { amazon: { body: 'x', priority: 3 } } }, '.en.amazon.priority: must be -2 to 2'],
    [{ en: { sms: { file_urls: ['http://a'] } } }, '.en.sms.file_urls[0]: must be a URL of https'],
    [{ en: { windows: { type: 'Tile', body: 'x' } } }, '.en.windows.content: must be set'],
    [{ en: { safari: { url_args: [] } } }, '.en.safari.title: must be set'],
  ])('refuses blocks %j (R-O1, R-I21)', async (localized_content, message) => {
    const { body } = await notify(segment({ payload: { content: { localized_content } } }));
    expect(body).toMatchObject({ code: 3, message: `segment.payload.content.localized_content${message}` });
  });

  it('has pictures of inbox entries by platform and locale if they differ (R-O4)', async () => {
    const block = (image_url?: string) => ({ body: 'x', inbox: { image_url } });
    const localized_content = {
      en: { default: block('https://a/{{Level}}'), ios: { body: 'x', inbox: { expiration_date: '2100-01-02' } } },
      DE: { default: block('https://b'), android: block('https://c') },
    };
    await notify(segment({ payload: { content: { localized_content } } }));
    const { inbox, tags } = world.drafts[0]!.message.content!;
    const picture = (platform: number, language: string, image: string) => ({ platform, language, image });
    expect([inbox, tags]).toEqual([
      {
        removalDay: Date.parse('2100-01-02') / 86_400_000,
        days: undefined,
        image: 'https://a/{{Level}}',
        pictures: [
          ...[picture(0, 'en', 'https://a/{{Level}}'), picture(0, 'de', 'https://b')],
          ...[picture(1, 'en', 'https://a/{{Level}}'), picture(1, 'de', 'https://b')],
          ...[picture(3, 'en', 'https://a/{{Level}}'), picture(3, 'de', 'https://c')],
        ],
        removals: [],
      },
      ['Level'],
    ]);
  });

  it('has the expiry of inbox entries by platform and locale if it differs (R-O4)', async () => {
    const block = (expiration_date?: string) => ({ body: 'x', inbox: { expiration_date } });
    const localized_content = {
      en: { default: block('2100-01-02') },
      de: { default: block(), android: block('2100-01-03') },
    };
    await notify(segment({ payload: { content: { localized_content } } }));
    const day = Date.parse('2100-01-02') / 86_400_000;
    const removal = (platform: number, language: string, removalDay: number) => ({ platform, language, removalDay });
    expect(world.drafts[0]!.message.content!.inbox).toMatchObject({
      removalDay: day + 1,
      removals: [
        ...[removal(0, 'en', day), removal(0, 'de', day)],
        ...[removal(3, 'en', day), removal(3, 'de', day + 1)],
      ],
    });
    const past = { en: { default: block('2100-01-02') }, de: { ios: block('2020-01-01') } };
    const { body } = await notify(segment({ payload: { content: { localized_content: past } } }));
    const path = 'de.ios.inbox.expiration_date: must be after the send date';
    expect(body).toMatchObject({ message: `segment.payload.content.localized_content.${path}` });
  });

  it('stores every message, is transactional to named recipients, and lists unknown ones unless disabled (R-O1, R-O2)', async () => {
    const { resolve } = world.audiences;
    world.audiences.resolve = async (request) => {
      const { audiences, ...found } = await resolve(request);
      const unknown = { unknown: ['foo'] };
      return {
        ...found,
        audiences: audiences.map(({ reply }) => {
          return { reply: reply?.$case === 'resolved' ? { ...reply, value: { ...reply.value, ...unknown } } : reply };
        }),
      };
    };
    try {
      const names = { hwids: { list: ['foo', 'phone-1'] } };
      expect((await notify(transactional(names))).body).toEqual({
        result: { message_code: 'C0DE0-00000000', unknown_identifiers: ['foo'] },
      });
      expect((await notify(transactional({ ...names, return_unknown_identifiers: false }))).body).toEqual({
        result: { message_code: 'C0DE0-00000001' },
      });
      expect(world.drafts).toMatchObject([
        { message: { hidden: false, transactional: true, listedRecipients: true } },
        { message: { hidden: false } },
      ]);
    } finally {
      world.audiences.resolve = resolve;
    }
  });

  it('addresses test devices at the time in UTC, even if it follows user time zones (R-L2)', async () => {
    const prepared: unknown[] = [];
    const { resolve } = world.audiences;
    world.audiences.resolve = async (request) => {
      prepared.push(...request.audiences.map(({ recipients }) => recipients?.recipients));
      return resolve(request);
    };
    try {
      const at = new Date(world.clock.now() + 3_600_000).toISOString();
      const schedule = { at, follow_user_timezone: true };
      await notify(transactional({ test_devices: true, schedule }));
      expect(prepared).toEqual([{ $case: 'testDevices', value: {} }]);
      const { message } = world.drafts[0]!;
      expect(message).toMatchObject({ hidden: false, listedRecipients: true, localTime: undefined });
      expect(message.sendAt!.toISOString()).toBe(at);
    } finally {
      world.audiences.resolve = resolve;
    }
  });

  it('drafts SMS of its block, an MMS if the block has a subject or media (R-O4)', async () => {
    const localized_content = {
      en: {
        default: { title: 'Title', body: 'Push' },
        sms: { body: 'Text', subject: 'S', file_urls: ['https://a/b'] },
      },
      de: { default: { title: 'Titel', body: 'Hallo' } },
    };
    await notify(segment({ platforms: ['SMS'], payload: { content: { localized_content } } }));
    await notify(segment({ platforms: ['SMS'] }));
    const [mms, sms] = world.drafts.map(({ message }) => message);
    const entries = (en: string, de: string) => ({
      entries: [
        { language: 'en', text: en },
        { language: 'de', text: de },
      ],
    });
    expect(mms).toMatchObject({
      audience: { platforms: [18] },
      content: {
        sms: { text: entries('Text', 'Hallo'), title: entries('S', ''), fileUrls: ['https://a/b'] },
        settings: [
          { language: 'en', sms: { fileUrls: ['https://a/b'] } },
          { language: 'de', sms: { fileUrls: [] } },
        ],
      },
    });
    expect(sms).toMatchObject({
      content: { text: { entries: [{ language: 'en', text: 'Hello' }] }, sms: { fileUrls: [] } },
    });
    expect([sms!.content!.sms!.text, sms!.content!.sms!.title]).toEqual([undefined, undefined]);
  });

  it('answers a repeat with the original code only (R-I10)', async () => {
    world.created.set('earlier', { code: 'C', answer: 'CODE_NOT_AVAILABLE', repeat: true });
    const { body } = await notify({ transaction_id: 'earlier', ...transactional({ users: { list: ['nobody'] } }) });
    expect(body).toEqual({ result: { message_code: 'C' } });
  });

  it('sends the text of its block to LINE, or of the named preset (R-O4)', async () => {
    await notify(segment({ line: { content: 'To LINE' } }));
    await notify(segment({ payload: null, line: { template: 'AAAAA-00009' } }));
    const [both, preset] = world.drafts.map(({ message }) => message);
    const text = { entries: [{ language: 'default', text: 'To LINE' }] };
    expect([both!.content!.line, preset!.content!.line]).toEqual([{ text, templates: [] }, undefined]);
    expect([both!.audience!.platforms, preset!.audience!.platforms]).toEqual([
      [...pushPlatforms, Platform.Line],
      [Platform.Line],
    ]);
  });

  it('sends the e-mail of its block to contacts of e-mail, beside pushes (R-O1, R-O4)', async () => {
    const mail = {
      body: { en: '<p>Hi</p>', de: '<p>Hallo</p>' },
      replyTo: { email: 'help@example.com' },
      bcc: ['Archive@example.com'],
      attachments: [{ name: 'a.txt', content: 'b25l' }],
    };
    await notify(segment({ payload: null, emailPayload: { ...mail, subject: 'News' }, emailCategory: 'News' }));
    await notify(segment({ email_payload: { body: 'Hi' } }));
    const [alone, both] = world.drafts.map(({ message }) => message);
    expect(alone).toMatchObject({
      source: 'EMAIL_API',
      transactional: false,
      audience: { platforms: [Platform.Email] },
      content: {
        email: {
          subject: { entries: [{ language: 'en', text: 'News' }, { language: 'de' }] },
          body: { entries: [{ text: '<p>Hi</p>' }, {}] },
          bcc: ['archive@example.com'],
          category: 'News',
          replyTo: { address: 'help@example.com' },
          attachments: [{ name: 'a.txt' }],
        },
      },
    });
    expect(both).toMatchObject({ source: 'API', audience: { platforms: [...pushPlatforms, Platform.Email] } });
    // A block without a subject has none, whatever pushes are titled.
    expect(both!.content!.email).toMatchObject({ subject: { entries: [{ language: 'default', text: '' }] } });
  });

  it('takes the e-mail of a preset, which must be an approved e-mail (R-E7)', async () => {
    const text = { entries: [{ language: 'default', text: '<p>Hi</p>' }] };
    const title = { entries: [{ language: 'default', text: 'News' }] };
    const from = { ...transactional({ users: { list: ['anna'] } }) } as { transactional: object };
    const emailRequest = {
      transactional: { ...from.transactional, payload: null, email_payload: { email_template: 'AAAAA-00009' } },
    };
    const preset = (platforms: number[]) =>
      Preset.fromPartial({ code: 'AAAAA-00009', platforms, content: { text, title } });
    world.preset = preset([Platform.Email]);
    await notify(emailRequest);
    expect(world.drafts[0]!.message.content!.email).toMatchObject({ body: text, subject: title });
    world.presetUnapproved = true;
    expect((await notify(emailRequest)).body).toMatchObject({ code: 3, message: 'Preset content is not approved' });
    world.preset = preset([Platform.iOS]);
    const message = 'transactional.email_payload.email_template: not an email preset';
    expect((await notify(emailRequest)).body).toMatchObject({ code: 3, message });
    [world.preset, world.presetUnapproved] = [undefined, false];
  });

  it('takes the texts for LINE and e-mail from presets of their own, beside pushes (R-O4)', async () => {
    const text = { entries: [{ language: 'default', text: 'Of the preset' }] };
    const title = { entries: [{ language: 'default', text: 'News' }] };
    const { accept } = world.messages;
    const requests: AcceptMessagesRequest[] = [];
    world.messages.accept = (request) => {
      requests.push(request);
      return accept(request);
    };
    try {
      world.preset = Preset.fromPartial({ code: 'AAAAA-00009', platforms: [Platform.Email], content: { text, title } });
      const blocks = { line: { template: 'BBBBB-00001' }, email_payload: { email_template: 'BBBBB-00002' } };
      await notify(segment(blocks));
      world.preset = Preset.fromPartial({ platforms: [Platform.Line], content: { text } });
      const { body } = await notify(segment(blocks));
      expect(body).toMatchObject({ message: 'segment.email_payload.email_template: not an email preset' });
    } finally {
      world.messages.accept = accept;
      world.preset = undefined;
    }
    expect(requests[0]!.messages[0]).toMatchObject({
      preset: '',
      platformPresets: [
        { platform: Platform.Line, code: 'BBBBB-00001' },
        { platform: Platform.Email, code: 'BBBBB-00002' },
      ],
    });
    const content = world.drafts[0]!.message.content!;
    expect(content.text).not.toEqual(text);
    expect(content).toMatchObject({ line: { text }, email: { body: text, subject: title } });
  });

  it('goes to the platforms of the blocks for WhatsApp and Kakao, with their content (R-O4, R-I27)', async () => {
    await notify(segment({ payload: null, whatsapp: { content: 'Hi' } }));
    await notify(segment({ whatsapp: { contentId: 'order', headerVariables: '{"text":"a"}' }, platforms: [21] }));
    await notify(segment({ payload: null, kakao: { template: 'order', content_variables: '{"a":"b"}' } }));
    expect(world.drafts.map(({ message }) => message)).toMatchObject([
      { audience: { platforms: [21] }, content: { whatsApp: { text: { entries: [{ text: 'Hi' }] } } } },
      { audience: { platforms: [21] }, content: { whatsApp: { template: 'order', header: { text: 'a' } } } },
      { audience: { platforms: [22] }, content: { kakao: { template: 'order', values: [{ name: 'a', text: 'b' }] } } },
    ]);
    await notify(segment({ whatsapp: { content: 'Hi' } }));
    const { platforms } = world.drafts.at(-1)!.message.audience!;
    expect([platforms.includes(1), platforms.includes(21), platforms.includes(22)]).toEqual([true, true, false]);
  });
});
