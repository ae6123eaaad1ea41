import { Platform } from '@tidings/kernel';
import { Preset } from '@tidings/events';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

const ADDRESS = 'anna@example.com';

let world: World;
let client: Client;
beforeAll(async () => {
  world = new World();
  client = await openClient(world);
});
afterAll(() => client.close());
beforeEach(() => {
  world.drafts.length = 0;
  world.commands.length = 0;
  world.presetUnapproved = false;
  world.preset = Preset.fromPartial({
    code: 'B1B2C-3D4E5',
    application: APPLICATION,
    platforms: [Platform.Email],
    content: {
      text: {
        entries: [
          { language: 'en', text: '<p>Body</p>' },
          { language: 'de', text: '<p>Text</p>' },
        ],
      },
      title: { entries: [{ language: 'default', text: 'Title' }] },
    },
  });
});

const send = (...notifications: readonly object[]) =>
  client.json13('createEmailMessage', { auth: 'api', application: APPLICATION, notifications });
const mail = { send_date: 'now', preset: 'B1B2C-3D4E5', devices: [ADDRESS], use_auto_registration: true };
const marketing = { email_type: 'marketing', email_category: 'News', list_unsubscribe: 'https://example.com/leave' };
const drafted = () => world.drafts.at(-1)?.message;
const emailOf = () => drafted()?.content?.email;
const texts = (by: Readonly<Record<string, string>>) => ({
  entries: Object.entries(by).map(([language, text]) => ({ language, text })),
});

describe('createEmailMessage', () => {
  it('registers the address, drafts a stored e-mail to it, and answers null (R-E7, R-E8)', async () => {
    const { body } = await send({ ...mail, devices: ['Anna@Example.com', 'not an address', 'a@mailinator.com'] });
    expect(body).toMatchObject({ status_code: 200, response: null });
    expect(world.commands).toMatchObject([
      { hwid: ADDRESS, command: { $case: 'register', value: { platform: Platform.Email } } },
    ]);
    expect(drafted()).toMatchObject({
      source: 'EMAIL_API',
      hidden: false,
      transactional: true,
      capped: false,
      listedRecipients: true,
      audience: { platforms: [Platform.Email] },
    });
  });

  it('takes body and subject of the preset, or of the request, and the subject by the keys of the body (R-E9)', async () => {
    await send(mail);
    expect(emailOf()).toMatchObject({
      body: texts({ en: '<p>Body</p>', de: '<p>Text</p>' }),
      subject: texts({ en: 'Title', de: 'Title' }),
    });
    await send({ ...mail, subject: { de: 'Betreff' }, content: { DE: '<p>1</p>', default: '<p>2</p>' } });
    expect(emailOf()).toMatchObject({
      body: texts({ de: '<p>1</p>', default: '<p>2</p>' }),
      subject: texts({ de: 'Betreff' }),
    });
    await send({ ...mail, subject: 'News', content: '<p>1</p>' });
    expect(emailOf()).toMatchObject({ body: texts({ default: '<p>1</p>' }), subject: texts({ default: 'News' }) });
  });

  it('takes a body that is longer than other texts (R-LM4)', async () => {
    const body = '👋'.repeat(200_000);
    await send({ ...mail, content: body });
    expect(emailOf()?.body?.entries).toEqual([{ language: 'default', text: body }]);
  });

  it('carries senders, copies, attachments and the way to unsubscribe (R-E10, R-E11)', async () => {
    await send({
      ...mail,
      ...marketing,
      from: { name: 'Team', email: 'team@example.com' },
      bcc: ['X@example.com'],
      'reply-to': { email: 'help@example.com' },
      attachments: [{ name: 'a.txt', content: 'b25l' }],
    });
    expect(emailOf()).toMatchObject({
      from: { address: 'team@example.com', name: 'Team' },
      replyTo: { address: 'help@example.com', name: '' },
      bcc: ['x@example.com'],
      attachments: [{ name: 'a.txt', content: Buffer.from('one') }],
      listUnsubscribe: 'https://example.com/leave',
      category: 'News',
    });
    expect(drafted()).toMatchObject({ transactional: false });
  });

  it('names the tags of placeholders in senders and in the way to unsubscribe (R-I17)', async () => {
    const list_unsubscribe = 'https://x.example/u?id={{Id|Regular|no one}}';
    await send({ ...mail, list_unsubscribe, from: { name: '{{Team}}', email: 'team@example.com' } });
    expect(drafted()?.content).toMatchObject({ email: { listUnsubscribe: list_unsubscribe }, tags: ['Id', 'Team'] });
  });

  it.each([
    [{}, { transactional: true, capped: false, capping: undefined }],
    [
      { capping_days: 7, capping_count: 1 },
      { transactional: true, capped: true, capping: { days: 7, count: 1 } },
    ],
    [
      { email_type: 'transactional', capping_days: 7, capping_count: 1 },
      { capped: false, capping: undefined },
    ],
    [
      { ...marketing, capping_days: 7, capping_count: 1 },
      { transactional: false, capping: { days: 7, count: 1 } },
    ],
  ])('is capped according to its type: %j (R-E12)', async (fields, expected) => {
    await send({ ...mail, ...fields });
    expect(drafted()).toMatchObject(expected);
  });

  const at = 'notifications[0]';
  const file = { name: 'a', content: 'b25l' };
  it.each<[object, string]>([
    [{ attachments: [file, file, file] }, `${at}.attachments: at most 2 entries`],
    [{ attachments: [{ ...file, content: '*' }] }, `${at}.attachments[0].content: must be base64`],
    [{ attachments: [{ content: 'b25l' }] }, `${at}.attachments[0].name: must be set`],
    [{ attachments: [{ name: 'a', content: null }] }, `${at}.attachments[0].content: must be set`],
    [{ 'reply-to': { name: 'Help' } }, `${at}.reply-to.email: must be set`],
    [{ content: { de: 'x'.repeat(200_001) } }, `${at}.content.de: at most 200000 characters`],
    [{ bcc: ['a'] }, `${at}.bcc[0]: Email address has invalid count of parts`],
    [{ bcc: Array.from({ length: 11 }, (_, i) => `a${i}@example.com`) }, `${at}.bcc: at most 10 entries`],
    [{ from: { email: 'a@b@c.example' } }, `${at}.from.email: Email address has invalid count of parts`],
    [{ list_unsubscribe: 'ftp://example.com' }, `${at}.list_unsubscribe: must be an https, http or mailto URL`],
    [{ list_unsubscribe: '{{Url}}' }, `${at}.list_unsubscribe: must be an https, http or mailto URL`],
    [
      { list_unsubscribe: 'https://example.com/\r\nX: y' },
      `${at}.list_unsubscribe: must be an https, http or mailto URL`,
    ],
    [{ email_type: 'marketing' }, `${at}.email_category: required for marketing`],
    [{ ...marketing, email_category: null }, `${at}.email_category: required for marketing`],
    [{ devices: [] }, `${at}.devices: must not be empty`],
    [{ send_rate: 100 }, 'send_rate must not be combined with devices'],
    [
      { devices: null, filter: 'a', conditions: [['Level', 'EQ', 1]] },
      'filter and conditions must not be used together',
    ],
  ])('refuses %j', async (fields, text) => {
    const { body } = await send({ ...mail, ...fields });
    expect(body).toEqual({ status_code: 210, status_message: text, response: null });
  });

  it('goes to the applications of a group, and ignores devices there (R-E8, R-I2)', async () => {
    const inGroup = (fields: object) =>
      client.json13('createEmailMessage', {
        auth: 'api',
        applications_group: 'C0DE0-00001',
        notifications: [{ ...mail, ...fields }],
      });
    expect((await inGroup({ use_auto_registration: true })).body).toMatchObject({ status_code: 200 });
    expect(world.drafts.at(-1)!.message).toMatchObject({ applications: [APPLICATION], listedRecipients: false });
    expect(world.commands).toEqual([]);
    // The rate would be refused beside devices that count (R-I11).
    expect((await inGroup({ send_rate: 100 })).body).toMatchObject({ status_code: 200 });
    expect(world.drafts.at(-1)!.message).toMatchObject({ listedRecipients: false, sendRate: 100 });
    const refusals: [object, string][] = [
      [{ users: ['anna'] }, 'users must not be used with applications_group'],
      [{ filter: 'a', conditions: [['Level', 'EQ', 1]] }, 'filter and conditions must not be used together'],
      [{ conditions: [['Level']] }, 'notifications[0].conditions[0]: '],
    ];
    for (const [fields, text] of refusals)
      expect((await inGroup(fields)).body).toMatchObject({
        status_code: 210,
        status_message: expect.stringContaining(text) as string,
      });
    const both = await client.json13('createEmailMessage', {
      auth: 'api',
      application: APPLICATION,
      applications_group: 'C0DE0-00001',
      notifications: [mail],
    });
    expect(both.body).toMatchObject({ status_message: 'application and applications_group must not be used together' });
  });

  it('refuses presets that are not e-mails, or not approved (R-E7)', async () => {
    world.preset = { ...world.preset!, platforms: [Platform.iOS] };
    expect((await send(mail)).body).toMatchObject({ status_message: `${at}.preset: not an email preset` });
    world.preset = { ...world.preset, platforms: [Platform.Email] };
    world.presetUnapproved = true;
    expect((await send(mail)).body).toMatchObject({ status_message: 'Preset content is not approved', response: null });
  });
});
