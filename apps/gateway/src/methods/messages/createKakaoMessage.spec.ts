import { Platform } from '@tidings/kernel';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

const HWID = 'kakao:01012345678';

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
  client.json13('createKakaoMessage', { auth: 'api', application: APPLICATION, notifications });
const order = { send_date: 'now', devices: [HWID, HWID], template: 'order' };

describe('createKakaoMessage', () => {
  it('registers unknown contacts, and drafts a stored transactional message to them (R-I27)', async () => {
    const { body } = await send({ ...order, kakao_content_variables: { name: 'Anna', n: 17 }, transactionId: 'k' });
    expect(body).toMatchObject({ status_code: 200, response: { Messages: ['C0DE0-00000000'] } });
    expect(world.commands).toMatchObject([
      { hwid: HWID, command: { $case: 'register', value: { platform: Platform.Kakao } } },
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
          audience: { platforms: [Platform.Kakao] },
          content: {
            kakao: {
              template: 'order',
              text: undefined,
              values: [
                { name: 'name', text: 'Anna' },
                { name: 'n', text: '17' },
              ],
            },
          },
        },
      },
    ]);
  });

  it('reaches users on Kakao, and ignores contacts if users are given', async () => {
    const { body } = await send({ ...order, users: ['anna'] });
    expect(body).toMatchObject({ status_code: 200 });
    expect(world.drafts).toMatchObject([{ message: { audience: { platforms: [Platform.Kakao] } } }]);
    expect(world.commands).toEqual([]);
  });

  const unused = (field: string) => `notifications[0].${field}: must not be used with createKakaoMessage`;
  const hwid = 'notifications[0].devices[0]: must be kakao: and 5 to 20 digits';
  it.each([
    [{ devices: HWID }, 'notifications[0].devices: must be an array'],
    [{ devices: [] }, 'notifications[0].devices: must not be empty'],
    [{ devices: ['01012345678'] }, hwid],
    [{ devices: ['kakao:+82101'] }, hwid],
    [
      { devices: Array.from({ length: 1001 }, (_, i) => `kakao:${10_000 + i}`) },
      'notifications[0].devices: at most 1000 entries',
    ],
    [{ users: [] }, 'notifications[0].users: must not be empty'],
    [{ template: '' }, 'notifications[0].template: must be 1 to 100 characters'],
    [
      { kakao_content_variables: 'a' },
      'notifications[0].kakao_content_variables: must be an object or a JSON string of one',
    ],
    [{ platforms: [22] }, unused('platforms')],
    [{ filter: 'a' }, unused('filter')],
    [{ filter_code: 'a' }, unused('filter_code')],
    [{ conditions: [] }, unused('conditions')],
    [{ send_date: 'soon' }, 'notifications[0].send_date: must be "now" or YYYY-MM-DD HH:mm'],
  ])('refuses %j by 210, with an empty list (R-ER8)', async (given, status_message) => {
    const { status, body } = await send({ ...order, ...given });
    expect({ status, body }).toEqual({
      status: 200,
      body: { status_code: 210, status_message, response: { Messages: [] } },
    });
    expect([world.commands, world.drafts]).toEqual([[], []]);
  });

  it.each(['send_date', 'devices', 'template'])('requires %s (R-ER2)', async (field) => {
    const { status, body } = await send({ ...order, [field]: null });
    expect({ status, body }).toEqual({
      status: 400,
      body: { status_message: `Missing required argument: notifications[0].${field}`, response: null },
    });
  });
});
