import { LiveActivityEvent } from '@tidings/events';
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

const send = (method: 'startLiveActivity' | 'updateLiveActivity', ...notifications: readonly object[]) =>
  client.json13(method, { auth: 'api', application: APPLICATION, notifications });
const state = { 'content-state': { minutes: 5 } };
const started = { ...state, 'attributes-type': 'Order', attributes: { order: 17 } };
const entries = (text: string) => ({ entries: [{ language: 'default', text }] });

describe('startLiveActivity', () => {
  it('drafts a message for iOS that is always stored, with its activity (R-I6, R-M1)', async () => {
    const named = { content: 'Hello', title: 'Order', live_activity: started, live_activity_id: 17, devices: ['a'] };
    const { body } = await send('startLiveActivity', named, { content: 'Hello', live_activity: started });
    expect(body).toMatchObject({
      response: { Messages: ['C0DE0-00000000', 'C0DE0-00000001'], UnknownDevices: { 'C0DE0-00000000': ['a'] } },
    });
    expect(world.drafts).toMatchObject([
      {
        message: {
          applications: [APPLICATION],
          source: 'API',
          hidden: false,
          transactional: false,
          sendAt: undefined,
          audience: { platforms: [1] },
          content: {
            text: entries('Hello'),
            title: entries('Order'),
            liveActivity: {
              id: '17',
              event: LiveActivityEvent.LIVE_ACTIVITY_EVENT_START,
              contentState: '{"minutes":5}',
              attributesType: 'Order',
              attributes: '{"order":17}',
            },
          },
        },
      },
      { message: { content: { liveActivity: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string } } } },
    ]);
  });
});

describe('updateLiveActivity', () => {
  const update = async (live_activity: object) => {
    const { status } = await send('updateLiveActivity', { live_activity, live_activity_id: 'order' });
    expect(status).toBe(200);
    const { message, activityKnown } = world.drafts.at(-1)!;
    expect({ activityKnown, ...message }).toMatchObject({ activityKnown: true, hidden: false, transactional: true });
    return message.content!.liveActivity!;
  };
  const now = (): bigint => BigInt(Math.floor(world.clock.now() / 1000));

  it.each([
    ['0 seconds from now', 0, 0n],
    ['seconds from now', '999999999', 999_999_999n],
  ])('takes dates as %s (R-M4)', async (_, given, seconds) => {
    const before = now();
    const { staleDate, dismissalDate } = await update({
      ...state,
      event: 'end',
      'stale-date': given,
      'dismissal-date': given,
    });
    for (const date of [staleDate!, dismissalDate!]) {
      expect(date >= before + seconds && date <= now() + seconds).toBe(true);
    }
  });

  it('takes dates as unix time, and a dismissal only with the end (R-M4)', async () => {
    const dates = { 'stale-date': 1_000_000_000, 'dismissal-date': 1_000_000_001 };
    expect(await update({ ...state, event: 'end', ...dates })).toMatchObject({
      event: LiveActivityEvent.LIVE_ACTIVITY_EVENT_END,
      staleDate: 1_000_000_000n,
      dismissalDate: 1_000_000_001n,
      relevanceScore: undefined,
    });
    expect(await update({ ...state, event: 'update', ...dates, 'relevance-score': 101 })).toMatchObject({
      event: LiveActivityEvent.LIVE_ACTIVITY_EVENT_UPDATE,
      staleDate: 1_000_000_000n,
      dismissalDate: undefined,
      relevanceScore: 101n,
    });
  });
});
