import { Platform } from '@tidings/kernel';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

const USER = 'U4af4980629f4bd7c3d2a8fd5b1d2c9e7';

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
});

const send = (...notifications: readonly object[]) =>
  client.json13('createLineMessage', { auth: 'api', application: APPLICATION, notifications });
const hello = { send_date: 'now', content: 'Hello', devices: [USER] };
const image = (fields: object = {}) => ({ image: { image_url: 'https://a/1.png', ...fields } });
const carousel = (columns: unknown, fields: object = {}) => ({ image_carousel: { columns, ...fields } });
const columns = (count: number) => Array.from({ length: count }, (_, i) => ({ image_url: `https://a/${i}` }));

describe('createLineMessage', () => {
  it('registers unknown users, and drafts a stored transactional message to them (R-I26)', async () => {
    const { body } = await send({ ...hello, devices: [USER, 'U2', USER], transactionId: 'k' });
    expect(body).toMatchObject({ status_code: 200, response: { Messages: ['C0DE0-00000000'] } });
    const register = { $case: 'register', value: { platform: Platform.Line } };
    expect(world.commands).toMatchObject([USER, 'U2'].map((hwid) => ({ hwid, command: register })));
    expect(world.drafts).toMatchObject([
      {
        transactionId: 'k',
        message: {
          applications: [APPLICATION],
          source: 'API',
          hidden: false,
          transactional: true,
          listedRecipients: true,
          audience: { platforms: [Platform.Line] },
          content: { text: { entries: [{ language: 'default', text: 'Hello' }] }, line: undefined },
        },
      },
    ]);
  });

  it('registers no user for a repeat, and answers it as the first message (R-I10)', async () => {
    world.created.set('earlier', { code: 'C0DE0-EARLIER0', answer: 'C0DE0-EARLIER0', repeat: true });
    const { body } = await send(
      { ...hello, devices: ['U7'], transactionId: 'earlier' },
      { ...hello, devices: ['U8'], transactionId: 'new' },
    );
    expect(body).toMatchObject({ status_code: 200, response: { Messages: ['C0DE0-EARLIER0', 'C0DE0-00000000'] } });
    expect(world.registered()).toEqual(['U8']);
    expect(world.drafts.map(({ transactionId }) => transactionId)).toEqual(['new']);
  });

  it('has templates by language, each of one of three types', async () => {
    const template = {
      default: image({ preview_image_url: 'https://a/{{Size}}', alt_text: 'a' }),
      EN: carousel(columns(10), { alt_text: 'b'.repeat(400) }),
      th: { raw: { content: { type: 'bubble' } } },
    };
    await send({ ...hello, content: undefined, template });
    expect(world.drafts[0]!.message.content).toMatchObject({
      line: {
        templates: [
          {
            language: 'default',
            kind: { $case: 'image', value: { url: 'https://a/1.png', previewUrl: 'https://a/{{Size}}' } },
          },
          { language: 'en', kind: { $case: 'carousel', value: { altText: 'b'.repeat(400) } } },
          { language: 'th', kind: { $case: 'flex', value: { altText: undefined, content: '{"type":"bubble"}' } } },
        ],
      },
      tags: ['Size'],
    });
  });

  it('takes the text of a preset', async () => {
    const { body } = await send({ ...hello, content: undefined, preset: 'AAAAA-00009' });
    expect(body).toMatchObject({ status_code: 200 });
  });

  const at = 'notifications[0]';
  it.each([
    [{ content: 'x'.repeat(5001) }, `${at}.content: must be 1 to 5000 characters`],
    [{ content: '💚'.repeat(2501) }, `${at}.content: must be 1 to 5000 characters`],
    [{ content: '' }, `${at}.content: must be 1 to 5000 characters`],
    [{ devices: [] }, `${at}.devices: must not be empty`],
    [{ devices: USER }, `${at}.devices: must be an array`],
    [{ devices: Array.from({ length: 1001 }, (_, i) => `U${i}`) }, `${at}.devices: at most 1000 entries`],
    [{ send_date: 'soon' }, `${at}.send_date: must be "now" or YYYY-MM-DD HH:mm`],
    [{ template: {} }, `${at}.template: must not be empty`],
    [{ template: [] }, `${at}.template: must be an object`],
    [{ template: { en: {} } }, `${at}.template.en: exactly one of image, image_carousel, raw is required`],
    [
      { template: { en: { ...image(), raw: { content: {} } } } },
      `${at}.template.en: exactly one of image, image_carousel, raw is required`,
    ],
    [{ template: { en: image({ image_url: null }) } }, `${at}.template.en.image.image_url: must be set`],
    [{ template: { en: { raw: {} } } }, `${at}.template.en.raw.content: must be set`],
    [
      { template: { en: { image_carousel: { columns: [{}] } } } },
      `${at}.template.en.image_carousel.columns[0].image_url: must be set`,
    ],
    [
      { template: { en: image({ image_url: 'http://a' }) } },
      `${at}.template.en.image.image_url: must be a URL of https`,
    ],
    [
      { template: { en: image({ preview_image_url: 'ftp://a' }) } },
      `${at}.template.en.image.preview_image_url: must be a URL of https`,
    ],
    [
      { template: { en: image({ image_url: `https://${'a'.repeat(1993)}` }) } },
      `${at}.template.en.image.image_url: must be 1 to 2000 characters`,
    ],
    [
      { template: { en: image({ alt_text: '💚'.repeat(201) }) } },
      `${at}.template.en.image.alt_text: at most 400 characters`,
    ],
    [{ template: { en: carousel([]) } }, `${at}.template.en.image_carousel.columns: must have 1 to 10 entries`],
    [
      { template: { en: carousel(columns(11)) } },
      `${at}.template.en.image_carousel.columns: must have 1 to 10 entries`,
    ],
    [
      { template: { en: carousel([{ image_url: 'x' }]) } },
      `${at}.template.en.image_carousel.columns[0].image_url: must be a URL of https`,
    ],
    [{ template: { en: { raw: { content: 'x' } } } }, `${at}.template.en.raw.content: must be an object`],
  ])('refuses %j by 210, with an empty list (R-ER8)', async (given, status_message) => {
    const { status, body } = await send({ ...hello, ...given });
    expect({ status, body }).toEqual({
      status: 200,
      body: { status_code: 210, status_message, response: { Messages: [] } },
    });
    expect([world.commands, world.drafts]).toEqual([[], []]);
  });

  it.each([
    [{ send_date: null }, 'send_date'],
    [{ content: null }, 'content'],
    [{ send_date: null, content: null, devices: null }, 'content'],
    [{ send_date: null, devices: null }, 'send_date'],
    [{ devices: null }, 'devices'],
    [{ template: { en: { image_carousel: {} } } }, 'template.en.image_carousel.columns'],
  ])('requires the field that %j leaves out (R-ER2)', async (given, field) => {
    const { status, body } = await send({ ...hello, ...given });
    expect({ status, body }).toEqual({
      status: 400,
      body: { status_message: `Missing required argument: notifications[0].${field}`, response: null },
    });
  });
});
