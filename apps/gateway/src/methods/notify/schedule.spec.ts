import { PastOffsets } from '@tidings/events';
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
const payload = { content: { localized_content: { en: { default: { body: 'Hello' } } } } };
const segment = (more: object = {}) => ({ segment: { application: APPLICATION, payload, ...more } });

describe('a schedule of notify', () => {
  it('sends to all after its duration, even if it follows user time zones (R-O1)', async () => {
    const from = world.clock.now() + 60_000;
    await notify(segment({ schedule: { after: '60s', follow_user_timezone: true } }));
    const { message } = world.drafts[0]!;
    expect(message).toMatchObject({ localTime: undefined });
    expect(message.sendAt!.getTime()).toBeGreaterThanOrEqual(from);
    expect(message.sendAt!.getTime()).toBeLessThanOrEqual(world.clock.now() + 60_000);
  });

  it('means now after the time has passed in every zone, unless devices wait or are left out (R-O1)', async () => {
    const at = new Date(world.clock.now() - 13 * 3_600_000).toISOString();
    for (const past_timezones_behaviour of ['SEND_IMMEDIATELY', 'NEXT_DAY', 'SKIP'])
      await notify(segment({ schedule: { at, follow_user_timezone: true, past_timezones_behaviour } }));
    const { PAST_OFFSETS_NEXT_DAY: nextDay, PAST_OFFSETS_SKIP: skip } = PastOffsets;
    expect(world.drafts.map(({ message }) => message.localTime?.pastOffsets)).toEqual([undefined, nextDay, skip]);
    expect(world.drafts.map(({ message }) => message.sendAt?.toISOString())).toEqual([undefined, at, at]);
  });

  it('accepts a duration, and refuses more than a year (R-O1)', async () => {
    await notify(segment({ schedule: { after: '60.5s' } }));
    const { sendAt } = world.drafts[0]!.message;
    expect(sendAt!.getTime() - world.clock.now()).toBeGreaterThan(50_000);
    expect((await notify(segment({ schedule: { after: '31536001s' } }))).body).toMatchObject({
      code: 3,
      message: 'segment.schedule.after: at most 365 days ahead',
    });
  });
});
