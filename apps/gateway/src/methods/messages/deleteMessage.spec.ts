import { MessageView } from '@tidings/rpc';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, FOREIGN, UNGRANTED, World } from '../../testing/gateway-world.ts';

let world: World;
let client: Client;
let canceled: string[];
beforeAll(async () => {
  world = new World();
  world.messages.cancel = async ({ code }) => {
    canceled.push(code);
    return {};
  };
  client = await openClient(world);
});
afterAll(() => client.close());
beforeEach(() => {
  canceled = [];
});

const CODE = 'C3F8-C3863ED4-334AD4F1';
const remove = (message: unknown) => client.json13('deleteMessage', { auth: 'api', message });
const sentTo = (...applications: string[]): void => {
  world.sent.set(CODE, MessageView.fromPartial({ code: CODE, account: 'a', message: { applications } }));
};

describe('deleteMessage', () => {
  it('cancels a message of an application that the token covers', async () => {
    sentTo(APPLICATION);
    expect(await remove(CODE)).toMatchObject({ status: 200, body: { status_code: 200, response: null } });
    expect(canceled).toEqual([CODE]);
  });

  it.each([
    ['of an application that the token does not cover', [UNGRANTED]],
    ['of another account', [FOREIGN]],
    ['of several applications, of which the token covers only one', [APPLICATION, UNGRANTED]],
  ])('does not find a message %s (R-T7)', async (_, applications) => {
    sentTo(...applications);
    expect(await remove(CODE)).toMatchObject({
      body: { status_code: 210, status_message: 'Message not found', response: null },
    });
    expect(canceled).toEqual([]);
  });

  it.each(['unknown', ''])('does not find an unknown message, such as %j', async (code) => {
    expect(await remove(code)).toMatchObject({ body: { status_code: 210, status_message: 'Message not found' } });
    expect(canceled).toEqual([]);
  });

  it('refuses a request without a code', async () => {
    expect(await remove(undefined)).toMatchObject({
      status: 400,
      body: { status_message: 'Missing required argument: message' },
    });
    expect(canceled).toEqual([]);
  });
});
