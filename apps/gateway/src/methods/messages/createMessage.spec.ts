import { Preset } from '@tidings/events';
import { Fault, pushPlatforms } from '@tidings/kernel';
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

const create = (...notifications: readonly object[]) =>
  client.json13('createMessage', { auth: 'api', application: APPLICATION, notifications });
const inLanguages = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, 'x'.repeat(65_000)]));
const placeholders = (count: number) => Array.from({ length: count }, (_, i) => `{{t${i}}}`).join(' ');
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `d${i}`);

describe('createMessage without a scheduler', () => {
  const answer = async (fault: Fault) => {
    const { accept } = world.messages;
    world.messages.accept = () => Promise.reject(fault);
    try {
      return await create({ content: 'a', transactionId: 'tx' });
    } finally {
      world.messages.accept = accept;
    }
  };

  it('answers that the message may have been accepted, and how to repeat it safely (R-ER10)', async () => {
    const { status, body, headers } = await answer(Fault.unavailable('A service does not answer'));
    expect(status).toBe(500);
    expect(body).toEqual({
      status_code: 500,
      status_message: expect.stringMatching(/^Internal error: .*accepted.*transactionId/) as string,
      response: null,
    });
    expect(headers).toMatchObject({ 'retry-after': '5' });
  });

  it('does not answer so if the message was certainly not accepted', async () => {
    const never = new Fault('unavailable', 'A service does not answer', { effect: 'none' });
    expect(await answer(never)).toMatchObject({ status: 500, body: { status_message: 'Internal error' } });
    expect(await answer(Fault.bug('unforeseen'))).toMatchObject({ body: { status_message: 'Internal error' } });
  });
});

describe('createMessage', () => {
  it('answers a code per notification, in order (R-I1)', async () => {
    expect(await create({ content: 'a' }, { content: 'b' })).toMatchObject({
      status: 200,
      body: { status_code: 200, response: { Messages: ['C0DE0-00000000', 'C0DE0-00000001'] } },
    });
  });

  it('drafts the fields of the notification', async () => {
    await create({
      content: { en: 'Hi {{Name}} {{Level}}', de: 'Hallo' },
      dynamic_content_placeholders: { Name: 'Anna' },
      data: { a: 1 },
      link: 'https://example.com/17',
      conditions: [['Level', 'gte', 5]],
      conditions_operator: 'or',
      transactionId: 'tx',
      message_type: 'transactional',
      ios_badges: '+1',
      android_priority: 2,
    });
    expect(world.drafts).toMatchObject([
      {
        transactionId: 'tx',
        linkToShorten: 'https://example.com/17',
        message: {
          applications: [APPLICATION],
          source: 'API',
          transactional: true,
          hidden: false,
          listedRecipients: false,
          conditions: '[["Level","GTE",5]]',
          conditionsOperator: 'OR',
          audience: { platforms: [...pushPlatforms] },
          content: {
            text: { entries: [{ language: 'en' }, { language: 'de', text: 'Hallo' }] },
            data: '{"a":1}',
            link: undefined,
            placeholders: '{"Name":"Anna"}',
            tags: ['Level'],
            ios: { badge: '+1' },
            android: { priority: 2 },
          },
        },
      },
    ]);
  });

  it('lists the platforms of the named devices that it reaches (R-RES22)', async () => {
    const few = { content: 'x', devices: ['phone-1'] };
    const ten = { content: 'x', devices: names(10) };
    await create(few, { ...few, platforms: [3] }, ten, { ...ten, platforms: [3, 7] }, { ...ten, platforms: [7] });
    expect(world.drafts.map(({ message }) => message?.reach?.platforms)).toEqual([[1, 3], [1, 3], [1, 3], [3], []]);
  });

  it('keeps numbers in passed-on values as they were written (R-I18)', async () => {
    const fields = `"data":{"id":9007199254740993,"\\ud800":1},"template_bindings":{"n":12345678901234567890}`;
    const body = `{"request":{"auth":"api","application":"${APPLICATION}","notifications":[{"content":"x",${fields}}]}}`;
    await client.send('POST', '/json/1.3/createMessage', body);
    expect(world.drafts).toMatchObject([
      { message: { content: { data: '{"id":9007199254740993,"\ufffd":1}', bindings: '{"n":12345678901234567890}' } } },
    ]);
  });

  it.each([
    [{ minimize_link: 0, link: 'https://example.com' }, '', 'https://example.com'],
    [{ link: 'news://article/17' }, '', 'news://article/17'],
    [{ link: 'https://example.com/{{Level}}' }, '', 'https://example.com/{{Level}}'],
    [{ link: 'https://example.com/{Level||0}', minimize_link: true }, '', 'https://example.com/{Level||0}'],
    [{ link: 'HTTP://example.com' }, 'HTTP://example.com', undefined],
  ])('shortens web links unless the request disables it: %j (R-I19)', async (fields, linkToShorten, link) => {
    await create({ content: 'x', ...fields });
    expect(world.drafts).toMatchObject([{ linkToShorten, message: { content: { link } } }]);
  });

  it('hides messages to fewer than ten distinct recipients, and names unknown devices (R-I6)', async () => {
    const few = await create({ content: 'x', devices: ['phone-1', ...names(8), 'd0'] });
    expect(few.body).toMatchObject({
      response: { Messages: ['CODE_NOT_AVAILABLE'], UnknownDevices: { CODE_NOT_AVAILABLE: names(8) } },
    });
    const many = await create({ content: 'x', users: names(10) });
    expect(many.body).toEqual({
      status_code: 200,
      status_message: 'OK',
      response: { Messages: ['C0DE0-00000001'] },
    });
    expect(world.drafts.map(({ message }) => message?.listedRecipients)).toEqual([true, true]);
  });

  it('hides nothing while debug mode is on', async () => {
    const view = world.applications.get(APPLICATION)!;
    world.applications.set(APPLICATION, { ...view, debugUntil: new Date(world.clock.now() + 1000) });
    expect((await create({ content: 'x', devices: ['phone-1'] })).body).toMatchObject({
      response: { Messages: ['C0DE0-00000000'] },
    });
    world.applications.set(APPLICATION, view);
  });

  it.each([
    [{ devices: names(3), platforms: [1] }, []],
    [{ devices: names(10), platforms: [1] }, [1]],
    [{ devices: names(10) }, []],
    [{ users: names(3), platforms: [3] }, [3]],
    [{ users: names(3) }, [...pushPlatforms]],
    [{ platforms: [] }, [...pushPlatforms]],
  ])('restricts platforms as R-I5 specifies: %#', async (fields, platforms) => {
    await create({ content: 'x', ...fields });
    expect(world.drafts).toMatchObject([{ message: { audience: { platforms } } }]);
  });

  it('sends messages that are dated in the past, schedules others, and refuses dates beyond a year, all or nothing', async () => {
    expect(await create({ content: 'x', send_date: '2020-01-01 10:00' })).toMatchObject({ body: { status_code: 200 } });
    world.drafts.length = 0;
    const ahead = new Date(world.clock.now() + 3_600_000).toISOString().slice(0, 16);
    await create({ content: 'x' }, { content: 'x', send_date: ahead, devices: ['d0'] });
    expect(world.drafts).toMatchObject([
      { message: { sendAt: undefined, hidden: false } },
      // A scheduled message is listed, even with few recipients (R-I6).
      { message: { sendAt: new Date(`${ahead}:00Z`), hidden: false } },
    ]);
    world.drafts.length = 0;
    expect(await create({ content: 'x' }, { content: 'x', send_date: '2999-01-01 10:00' })).toMatchObject({
      body: {
        status_code: 210,
        status_message: 'notifications[1].send_date: must be "now" or YYYY-MM-DD HH:mm',
        response: { Messages: [] },
      },
    });
    expect(world.drafts).toEqual([]);
  });

  it('reads a date in its zone, and in the zones of the devices if it is ahead in one of them (R-I8, R-I9)', async () => {
    const inHours = (hours: number): string =>
      new Date(world.clock.now() + hours * 3_600_000).toISOString().slice(0, 16);
    const kiritimati = 'Pacific/Kiritimati';
    // UTC+14.
    expect(await create({ content: 'x', send_date: inHours(13), timezone: kiritimati })).toMatchObject({
      body: { status_code: 200 },
    });
    expect(world.drafts).toMatchObject([{ message: { sendAt: undefined } }]);
    world.drafts.length = 0;
    await create({ content: 'x', send_date: inHours(15), timezone: kiritimati });
    expect(world.drafts).toMatchObject([{ message: { sendAt: new Date(`${inHours(1)}:00Z`) } }]);
    world.drafts.length = 0;
    const own = { content: 'x', devices: ['d0'], ignore_user_timezone: false };
    // -12 h is the lowest offset of a device: the date has passed for all of them.
    await create({ ...own, send_date: inHours(-13) });
    // Still ahead in the west (R-I6).
    await create({ ...own, send_date: inHours(-11), timezone: 'Asia/Tokyo' });
    expect(world.drafts).toMatchObject([
      { message: { sendAt: undefined, localTime: undefined, hidden: true } },
      {
        message: {
          sendAt: new Date(`${inHours(-11)}:00Z`),
          hidden: false,
          localTime: { wallAt: new Date(`${inHours(-11)}:00Z`), defaultAt: new Date(`${inHours(-20)}:00Z`) },
        },
      },
    ]);
  });

  it.each([
    ['a text in too many languages', { content: inLanguages(40) }, 'notifications[1]: at most 2 MiB with its preset'],
    ['too many tags', { content: placeholders(257) }, 'notifications[1]: placeholders of at most 256 tags'],
  ])('creates no message of a request if one of them could not be stored or sent: %s', async (_what, given, text) => {
    expect(await create({ content: 'x' }, given)).toMatchObject({ body: { status_code: 210, status_message: text } });
    expect(world.drafts).toEqual([]);
  });

  it('creates no message if the request is too large in sum', async () => {
    const { preset } = world;
    world.preset = Preset.fromPartial({
      content: {
        text: { entries: Object.entries(inLanguages(10)).map(([language, text]) => ({ language, text })) },
      },
    });
    const entries = Array.from({ length: 60 }, () => ({ preset: 'AAAAA-00000' }));
    expect(await create(...entries)).toMatchObject({
      body: { status_message: 'notifications: at most 32 MiB with their presets' },
    });
    expect(await create(...entries.slice(0, 50))).toMatchObject({ body: { status_code: 200 } });
    world.preset = preset;
  });

  describe('a createMessage request with a transactionId', () => {
    const DELETED = 'DDDDD-00001';
    const earlier = { content: 'x', transactionId: 'earlier' };
    beforeAll(() => {
      const { resolve } = world.presets;
      Object.assign(world.presets, {
        resolve: async (request: Parameters<typeof resolve>[0]) => {
          const found = await resolve(request);
          return { ...found, presets: found.presets.filter(({ preset }) => preset?.code !== DELETED) };
        },
      });
      world.created.set('earlier', { code: 'C0DE0-EARLIER0', answer: 'CODE_NOT_AVAILABLE', repeat: true });
    });

    it('is answered with the original value and no unknown devices if it is a repeat (R-I10)', async () => {
      expect((await create({ ...earlier, devices: ['nobody'] })).body).toEqual({
        status_code: 200,
        status_message: 'OK',
        response: { Messages: ['CODE_NOT_AVAILABLE'] },
      });
    });

    it('is answered as the first message if it is a repeat, although its preset has been deleted (R-I10)', async () => {
      const repeat = { ...earlier, preset: DELETED };
      const { body } = await create({ content: 'a' }, repeat, { content: 'b', transactionId: 'new' });
      expect(body).toMatchObject({
        response: { Messages: ['C0DE0-00000000', 'CODE_NOT_AVAILABLE', 'C0DE0-00000001'] },
      });
      expect((await create(repeat)).body).toMatchObject({ response: { Messages: ['CODE_NOT_AVAILABLE'] } });
      expect(world.drafts).toHaveLength(2);
    });

    it('is refused if it is not a repeat', async () => {
      const refused = { content: 'x', preset: DELETED };
      for (const fields of [{}, { transactionId: 'new' }]) {
        expect((await create({ ...earlier, preset: DELETED }, { ...refused, ...fields })).body).toMatchObject({
          status_code: 210,
          status_message: 'notifications[1].preset: not found',
        });
      }
      expect(world.drafts).toEqual([]);
    });
  });
});
