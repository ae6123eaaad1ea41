import { Platform } from '@tidings/kernel';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

const NUMBER = '+4915112345678';

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
  client.json13('createSMSMessage', { auth: 'api', application: APPLICATION, notifications });
const sms = { send_date: 'now', content: 'Hello', devices: ['+49 (151) 12345-678'], use_auto_registration: true };

describe('createSMSMessage', () => {
  it('registers the number, and drafts a stored transactional message to it (R-I25)', async () => {
    const { body } = await send({ ...sms, dynamic_content_placeholders: { code: 1 }, transactionId: 'k' });
    expect(body).toMatchObject({ status_code: 200, response: { Messages: ['C0DE0-00000000'] } });
    expect(world.commands).toMatchObject([
      { hwid: NUMBER, command: { $case: 'register', value: { platform: Platform.Sms } } },
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
          audience: { platforms: [Platform.Sms] },
          content: {
            text: { entries: [{ language: 'default', text: 'Hello' }] },
            placeholders: '{"code":1}',
          },
        },
      },
    ]);
  });

  it('sends to a registered number without registering it again', async () => {
    await send(sms);
    const { body } = await send({ ...sms, use_auto_registration: null });
    expect(body).toMatchObject({ response: { Messages: ['C0DE0-00000001'] } });
    expect(world.commands).toHaveLength(1);
  });

  it('answers a repeat as the first message, although the number is not registered any more (R-I10)', async () => {
    world.created.set('earlier', { code: 'C0DE0-EARLIER0', answer: 'C0DE0-EARLIER0', repeat: true });
    const unregistered = { ...sms, use_auto_registration: false };
    expect((await send({ ...unregistered, transactionId: 'earlier' })).body).toMatchObject({
      status_code: 200,
      response: { Messages: ['C0DE0-EARLIER0'] },
    });
    expect((await send({ ...unregistered, transactionId: 'new' })).body).toMatchObject({
      status_code: 210,
      status_message: 'notifications[0].devices[0]: device is not registered',
    });
    expect(world.drafts).toEqual([]);
  });

  const exactly = 'notifications[0].devices: exactly one phone number is expected';
  it.each([
    [{ devices: NUMBER }, exactly],
    [{ devices: 5 }, exactly],
    [{ devices: [] }, exactly],
    [{ devices: [NUMBER, NUMBER] }, exactly],
    [{ devices: ['12'] }, 'Hwid is not valid'],
    [{ use_auto_registration: false }, 'notifications[0].devices[0]: device is not registered'],
    [{ content: '' }, 'notifications[0].content: must be 1 to 65536 characters'],
    [{ content: { en: 'x' } }, 'notifications[0].content: must be a string'],
    [{ send_date: 'soon' }, 'notifications[0].send_date: must be "now" or YYYY-MM-DD HH:mm'],
    [{ use_auto_registration: 'perhaps' }, 'notifications[0].use_auto_registration: must be a boolean'],
  ])('refuses %j by 210, with an empty list (R-ER8)', async (given, status_message) => {
    const { status, body } = await send({ ...sms, ...given });
    expect({ status, body }).toEqual({
      status: 200,
      body: { status_code: 210, status_message, response: { Messages: [] } },
    });
    expect([world.commands, world.drafts]).toEqual([[], []]);
  });

  it.each(['send_date', 'content', 'devices'])('requires %s (R-ER2)', async (field) => {
    const { status, body } = await send({ ...sms, [field]: null });
    expect({ status, body }).toEqual({
      status: 400,
      body: { status_message: `Missing required argument: notifications[0].${field}`, response: null },
    });
  });

  it('takes the text of a preset, and registers no number if another notification is refused (R-I1)', async () => {
    const { body } = await send({ ...sms, content: undefined, preset: 'AAAAA-00009' });
    expect(body).toMatchObject({ status_code: 200 });
    world.commands.length = 0;
    await send(
      { ...sms, devices: ['+4915112345670'] },
      { ...sms, devices: ['+4915112345671'], use_auto_registration: 0 },
    );
    expect(world.commands).toEqual([]);
  });
});
