import { Platform } from '@tidings/kernel';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

const HWID = 'whatsapp:+4915112345678';

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
  client.json13('createWhatsAppMessage', { auth: 'api', application: APPLICATION, notifications });
const text = { send_date: 'now', content: 'Hello', devices: ['+49 (151) 12345-678'], use_auto_registration: true };
const contents = () => world.drafts.map(({ message }) => message?.content);

describe('createWhatsAppMessage', () => {
  it('registers the number, and drafts a stored transactional message to it (R-I27)', async () => {
    const { body } = await send({ ...text, dynamic_content_placeholders: { code: 1 }, transactionId: 'k' });
    expect(body).toMatchObject({ status_code: 200, response: { Messages: ['C0DE0-00000000'] } });
    expect(world.commands).toMatchObject([
      { hwid: HWID, command: { $case: 'register', value: { platform: Platform.WhatsApp } } },
    ]);
    expect(world.drafts).toMatchObject([
      {
        transactionId: 'k',
        message: {
          applications: [APPLICATION],
          source: 'API',
          hidden: false,
          transactional: true,
          listedRecipients: true,
          audience: { platforms: [Platform.WhatsApp] },
          content: {
            whatsApp: { text: { entries: [{ language: 'default', text: 'Hello' }] }, template: undefined },
            placeholders: '{"code":1}',
          },
        },
      },
    ]);
  });

  it('sends a template with the values of its parts', async () => {
    await send(text);
    const { body } = await send({
      send_date: 'now',
      content_id: 'order',
      language: 'de',
      devices: [HWID],
      content_variables: { 1: 'Anna', 2: 17, 3: null },
      button_url_variables: '{"0":"x"}',
      header_variables: { image: 'https://example.com/1.png' },
    });
    expect(body).toMatchObject({ status_code: 200 });
    expect(contents().at(-1)?.whatsApp).toMatchObject({
      text: undefined,
      template: 'order',
      language: 'de',
      body: [
        { name: '1', text: 'Anna' },
        { name: '2', text: '17' },
      ],
      buttons: [{ name: '0', text: 'x' }],
      header: { name: 'image', text: 'https://example.com/1.png' },
    });
    expect(world.commands).toHaveLength(1);
  });

  it('takes the text of a preset', async () => {
    const { body } = await send({ ...text, content: null, preset: 'AAAAA-00009' });
    expect(body).toMatchObject({ status_code: 200 });
    expect(contents()).toMatchObject([{ whatsApp: { text: undefined, template: undefined } }]);
  });

  const exactly = 'notifications[0].devices: exactly one WhatsApp number is expected';
  const form = 'must be an object or a JSON string of one';
  it.each([
    [{ devices: HWID }, exactly],
    [{ devices: [] }, exactly],
    [{ devices: [HWID, HWID] }, exactly],
    [{ devices: ['whatsapp:12'] }, 'Hwid is not valid'],
    [
      { devices: ['whatsapp:+4915112345670'], use_auto_registration: false },
      'notifications[0].devices[0]: device is not registered',
    ],
    [{ content: null }, 'notifications[0].content: must be set'],
    [{ content: '' }, 'notifications[0].content: must be 1 to 65536 characters'],
    [{ content_id: '' }, 'notifications[0].content_id: must be 1 to 512 characters'],
    [{ language: '' }, 'notifications[0].language: must be 1 to 35 characters'],
    [{ content_variables: 'a' }, `notifications[0].content_variables: ${form}`],
    [{ content_variables: { a: {} } }, 'notifications[0].content_variables.a: must be a string'],
    [{ button_url_variables: { 10: 'a' } }, 'notifications[0].button_url_variables: names must be 0 to 9'],
    [{ header_variables: ['a'] }, `notifications[0].header_variables: ${form}`],
    [
      { header_variables: { audio: 'a' } },
      'notifications[0].header_variables: must have one of text, image, video, document',
    ],
    [{ header_variables: { text: 'a', image: 'b' } }, 'notifications[0].header_variables: at most 1 entry'],
    [{ send_date: 'soon' }, 'notifications[0].send_date: must be "now" or YYYY-MM-DD HH:mm'],
  ])('refuses %j by 210, with an empty list (R-ER8)', async (given, status_message) => {
    const { status, body } = await send({ ...text, ...given });
    expect({ status, body }).toEqual({
      status: 200,
      body: { status_code: 210, status_message, response: { Messages: [] } },
    });
    expect([world.commands, world.drafts]).toEqual([[], []]);
  });

  it.each(['send_date', 'devices'])('requires %s (R-ER2)', async (field) => {
    const { status, body } = await send({ ...text, [field]: null });
    expect({ status, body }).toEqual({
      status: 400,
      body: { status_message: `Missing required argument: notifications[0].${field}`, response: null },
    });
  });
});
