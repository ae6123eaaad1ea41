import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken } from '@tidings/simulators';
import { funnelFigures, listedMessage, type Parameters, type PlatformWorld, untilDone } from '@tidings/testing';
import { android, CODE, IOS, ios, MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();
const { register, payloadOf, pushesTo, brokenBy } = test;
let world: PlatformWorld;
beforeAll(() => {
  ({ world } = test);
});
afterEach(() => world.simulators.faults.clear());

let tokens = 0;
const newToken = (kind: 'accepted' | 'dead' | 'throttled' = 'accepted', argument?: number): string =>
  apnsToken(kind, 9_000 + ++tokens, argument);

async function phone(
  application: string,
  hwid: string,
  {
    start,
    activities = {},
    ...more
  }: { start?: string; activities?: Readonly<Record<string, string>> } & Parameters = {},
): Promise<string> {
  const token = newToken();
  await register(application, hwid, { ...ios(token), ...more });
  if (start !== undefined) {
    await world.call('setActivityPushToStartToken', { application, hwid, activity_push_to_start_token: start });
  }
  for (const [activity_id, activity_push_token] of Object.entries(activities)) {
    await world.call('setActivityToken', { application, hwid, activity_id, activity_push_token });
  }
  return token;
}

const attributes = { 'attributes-type': 'OrderAttributes', attributes: { order: 17 } };
const starting = (more: Parameters = {}): Parameters => ({
  content: 'On its way',
  live_activity: { 'content-state': { stage: 0 }, ...attributes },
  ...more,
});
const updating = (live_activity_id: string, stage: number, more: Parameters = {}): Parameters => ({
  live_activity: { event: 'update', 'content-state': { stage }, ...more },
  live_activity_id,
});
const start = async (application: string, ...notifications: Parameters[]): Promise<readonly string[]> =>
  (await world.call('startLiveActivity', { application, notifications })).Messages;
const update = async (application: string, ...notifications: Parameters[]): Promise<readonly string[]> =>
  (await world.call('updateLiveActivity', { application, notifications })).Messages;
const replyTo = async (method: 'startLiveActivity' | 'updateLiveActivity', parameters: Parameters) => {
  const { status, body } = await world.reply(method, parameters);
  return { status, body };
};
const refused = (status_message: string) => ({
  status: 200,
  body: { status_code: 210, status_message, response: { Messages: [] } },
});
const statusOf = async (application: string, code: string) => (await listedMessage(world, application, code))?.status;
const figuresOf = async (code: string) =>
  funnelFigures(await world.call('getDeliveryFunnel', { message_code: code }), IOS);

const secondsNow = async (): Promise<number> =>
  Math.floor(Date.parse((await world.call('advanceClock', { advance_seconds: 0 })).now) / 1000);

interface Aps {
  readonly timestamp: number;
  readonly event: string;
  readonly 'content-state': { readonly stage: number };
}
const shownOn = (token: string): Aps[] =>
  world.simulators.ledger
    .of('apns')
    .entries({ token, limit: Infinity })
    .filter(({ status }) => status === 200)
    .map(({ payload }) => (JSON.parse(payload!) as { aps: Aps }).aps);
const stagesOn = (token: string): number[] => shownOn(token).map((aps) => aps['content-state'].stage);

it('a device sets and removes tokens of live activities', async () => {
  const application = await world.application();
  await phone(application, 'live');
  const activity = { application, hwid: 'live', activity_id: 'order-1' };
  expect(await world.call('setActivityToken', { ...activity, activity_push_token: 'aa11' })).toBeNull();
  expect(await world.call('setActivityToken', { ...activity, activity_push_token: null })).toBeNull();
  const start = { application, hwid: 'live', activity_push_to_start_token: 'bb22' };
  expect(await world.call('setActivityPushToStartToken', start)).toBeNull();
  const { body } = await world.reply('setActivityToken', { ...activity, hwid: 'nobody' });
  expect(body).toMatchObject({ status_message: 'Device not found' });
});

it('a device stores tokens of live activities without the brackets and blanks of their description', async () => {
  const application = await world.application();
  const [startToken, updateToken] = [newToken(), newToken()];
  const described = (token: string): string => `<${token.slice(0, 8)} ${token.slice(8)}>`;
  await phone(application, 'described', {
    start: described(startToken),
    activities: { described: described(updateToken) },
  });
  await start(application, starting());
  await update(application, updating('described', 1));
  await world.settle();
  expect([stagesOn(startToken), stagesOn(updateToken)]).toEqual([[0], [1]]);
});

describe('startLiveActivity', () => {
  it('starts it by push-to-start tokens, and sends the text to other iOS devices (R-M1, R-M2)', async () => {
    const application = await world.application();
    const startToken = newToken();
    await phone(application, 'able', { start: startToken });
    const fallback = await phone(application, 'older', { language: 'de' });
    await register(application, 'android', android('ignored'));
    const [code] = await start(application, starting({ content: { en: 'Coming', de: 'Kommt' }, title: 'Order' }));
    expect(code).toMatch(CODE);
    await world.settle();
    expect(payloadOf('apns', startToken)).toMatchObject({
      aps: {
        event: 'start',
        'content-state': { stage: 0 },
        ...attributes,
        alert: { title: 'Order', body: 'Coming' },
      },
    });
    expect(payloadOf('apns', fallback)).toMatchObject({ aps: { alert: { title: 'Order', body: 'Kommt' } } });
    expect(await listedMessage(world, application, code!)).toMatchObject({
      status: 'DONE',
      source: 'API',
      platforms: ['IOS'],
    });
    expect(await figuresOf(code!)).toMatchObject({ audience: 2, sent: 2, failed: 0 });
    expect(await brokenBy(application, code!)).toEqual([]);
  });

  it('prefers users to devices to a segment, and lists unknown devices (R-M1)', async () => {
    const application = await world.application();
    const [anna, berta, chris] = await Promise.all(
      ['anna', 'berta', 'chris'].map(async (userId) => {
        const token = newToken();
        await phone(application, `phone of ${userId}`, {
          userId,
          start: token,
          tags: { Level: userId === 'chris' ? 1 : 0 },
        });
        return token;
      }),
    );
    const filter = {
      application,
      name: `level ${application}`,
      filter_expression: `AT("${application}", "Level", EQ, 1)`,
    };
    await world.call('createFilter', filter);
    const { filters } = await world.call('listFilters', { application });
    const filter_code = filters.find(({ name }) => name === filter.name)!.code;
    const devices = ['phone of berta', 'nobody'];
    const { Messages, UnknownDevices } = await world.call('startLiveActivity', {
      application,
      notifications: [
        starting({ users: ['anna'], devices, filter_code }),
        starting({ devices, filter_code }),
        starting({ filter_code }),
      ],
    });
    expect(Messages.every((code) => CODE.test(code))).toBe(true);
    expect(UnknownDevices).toEqual({ [Messages[1]!]: ['nobody'] });
    await world.settle();
    const pushes = [anna!, berta!, chris!].map((token) => shownOn(token).length);
    expect(pushes).toEqual([1, 1, 1]);
  });

  it('removes a dead push-to-start token, and no other token of the device', async () => {
    const application = await world.application();
    const dead = newToken('dead');
    const token = await phone(application, 'phone', { start: dead });
    const [first] = await start(application, starting());
    await world.settle();
    expect(await figuresOf(first!)).toMatchObject({ sent: 0, errors: { INVALID_TOKEN: 1 } });
    const [second] = await start(application, starting());
    await world.settle();
    expect(await figuresOf(second!)).toMatchObject({ sent: 1, failed: 0 });
    expect([pushesTo('apns', dead).length, pushesTo('apns', token).length]).toEqual([1, 1]);
  });
});

describe('updateLiveActivity', () => {
  it('updates and ends it on every device with a token for it, and on no other (R-M2, R-S6)', async () => {
    const application = await world.application();
    const [one, two, other] = [newToken(), newToken(), newToken()];
    await phone(application, 'one', { activities: { order: one, other } });
    await phone(application, 'two', { activities: { order: two }, push_token: null });
    const bystander = await phone(application, 'bystander');
    await start(application, starting({ live_activity_id: 'order', devices: ['one', 'two'] }));
    await world.settle();
    const before = await secondsNow();
    const [code] = await update(application, updating('order', 1, { 'relevance-score': '150', 'stale-date': 60 }));
    await world.settle();
    const after = await secondsNow();
    const [end] = await update(application, updating('order', 2, { event: 'end', 'dismissal-date': 1_900_000_000 }));
    await world.settle();
    for (const token of [one, two]) expect(stagesOn(token)).toEqual([1, 2]);
    expect([shownOn(other), shownOn(bystander).length]).toEqual([[], 0]);
    const [updated, ended] = shownOn(one);
    expect(updated).toMatchObject({ event: 'update', 'relevance-score': 150 });
    const staleAt = (updated as unknown as Record<string, number>)['stale-date']!;
    expect(staleAt >= before + 60 && staleAt <= after + 60).toBe(true);
    expect(ended).toMatchObject({ event: 'end', 'dismissal-date': 1_900_000_000 });
    for (const each of [code!, end!]) {
      expect(each).toMatch(CODE);
      expect(await figuresOf(each)).toMatchObject({ audience: 2, sent: 2, failed: 0 });
      expect(await statusOf(application, each)).toBe('DONE');
      expect(await brokenBy(application, each)).toEqual([]);
    }
    const closed = refused('notifications[0].live_activity_id: live activity is closed');
    for (const event of ['update', 'end']) {
      const notifications = [updating('order', 3, { event })];
      expect(await replyTo('updateLiveActivity', { application, notifications })).toEqual(closed);
    }
    await start(application, starting({ live_activity_id: 'order', devices: ['one'] }));
    await update(application, updating('order', 4));
    await world.settle();
    expect(stagesOn(two)).toEqual([1, 2, 4]);
  });

  it('sends updates in order with increasing timestamps; a waiting one is replaced, an end is not (R-M3)', async () => {
    const application = await world.application();
    const [one, two] = [newToken(), newToken()];
    await phone(application, 'one', { activities: { race: one } });
    await phone(application, 'two', { activities: { race: two } });
    await world.simulators.faults.set('apns', { answer: 'TooManyRequests' });
    const [first] = await update(application, updating('race', 1));
    await world.settle();
    const [second, third] = await update(application, updating('race', 2), updating('race', 3));
    const [end] = await update(application, updating('race', 4, { event: 'end' }));
    await world.settle();
    const statuses = () => Promise.all([first!, second!, third!, end!].map((code) => statusOf(application, code)));
    expect(await statuses()).toEqual(['PROCESSING', 'CANCELED', 'CANCELED', 'PENDING']);
    expect([stagesOn(one), stagesOn(two)]).toEqual([[], []]);
    await world.simulators.faults.clear();
    await untilDone(world, application, end!, { stepSeconds: 20 });
    expect(await statuses()).toEqual(['DONE', 'CANCELED', 'CANCELED', 'DONE']);
    for (const token of [one, two]) {
      expect(stagesOn(token)).toEqual([1, 4]);
      const [before, after] = shownOn(token);
      expect(after!.timestamp).toBeGreaterThan(before!.timestamp);
    }
  });

  it('does not wait longer than minutes for a device that is not reached', async () => {
    const application = await world.application();
    const [never, prompt] = [newToken('throttled', 0), newToken()];
    await phone(application, 'never', { activities: { held: never } });
    await phone(application, 'prompt', { activities: { held: prompt } });
    const [first] = await update(application, updating('held', 1));
    await world.settle();
    const [second] = await update(application, updating('held', 2));
    await world.settle();
    expect(stagesOn(prompt)).toEqual([1]);
    await world.advance(121);
    await world.settle();
    expect(await statusOf(application, first!)).toBe('DONE');
    expect(await figuresOf(first!)).toMatchObject({ sent: 1, errors: { QUOTA_EXCEEDED: 1 } });
    expect(stagesOn(prompt)).toEqual([1, 2]);
    await world.advance(121);
    await world.settle();
    expect(await statusOf(application, second!)).toBe('DONE');
  });

  it('removes a dead token of the activity, and keeps the push token', async () => {
    const application = await world.application();
    const dead = newToken('dead');
    const token = await phone(application, 'phone', { activities: { gone: dead } });
    const [code] = await update(application, updating('gone', 1));
    await world.settle();
    expect(await figuresOf(code!)).toMatchObject({ sent: 0, errors: { INVALID_TOKEN: 1 } });
    const [second] = await update(application, updating('gone', 2));
    await world.settle();
    expect(pushesTo('apns', dead)).toHaveLength(1);
    expect(await figuresOf(second!)).toMatchObject({ audience: 0 });
    expect(await world.call('checkDevice', { application, hwid: 'phone' })).toMatchObject({ push_token_exist: true });
    expect(pushesTo('apns', token)).toEqual([]);
  });
});

describe('a request of live activities', () => {
  let application: string;
  beforeAll(async () => {
    application = await world.application();
  });
  const live = { 'content-state': {}, ...attributes };
  const state = { event: 'update', 'content-state': {} };

  it.each([
    ['no text', 'startLiveActivity', { live_activity: live }, 'content'],
    ['no activity', 'startLiveActivity', { content: 'a' }, 'live_activity'],
    ['no state', 'startLiveActivity', { content: 'a', live_activity: attributes }, 'live_activity.content-state'],
    [
      'no type',
      'startLiveActivity',
      { content: 'a', live_activity: { ...live, 'attributes-type': null } },
      'live_activity.attributes-type',
    ],
    ['no event', 'updateLiveActivity', { live_activity: { 'content-state': {} } }, 'live_activity.event'],
    ['no id', 'updateLiveActivity', { live_activity: state }, 'live_activity_id'],
  ] as const)('is malformed with %s (R-ER2)', async (_, method, notification, field) => {
    expect(await replyTo(method, { application, notifications: [notification] })).toMatchObject({
      status: 400,
      body: { status_message: `Missing required argument: notifications[0].${field}`, response: null },
    });
  });

  it.each([
    ['a state that is not an object', { ...state, 'content-state': [] }, 'content-state: must be an object'],
    ['an unknown event', { ...state, event: 'start' }, 'event: must be one of update, end'],
    ['a score below 1', { ...state, 'relevance-score': 0 }, 'relevance-score: must be at least 1'],
    ['a broken score', { ...state, 'relevance-score': 1.5 }, 'relevance-score: must be an integer'],
    ['a date before now', { ...state, 'stale-date': -1 }, 'stale-date: must not be negative'],
    ['a broken date', { ...state, 'dismissal-date': 'soon' }, 'dismissal-date: must be an integer'],
  ])('is refused with %s (R-M3, R-M4)', async (_, live_activity, reason) => {
    const notifications = [{ live_activity, live_activity_id: 'id' }];
    expect(await replyTo('updateLiveActivity', { application, notifications })).toEqual(
      refused(`notifications[0].live_activity.${reason}`),
    );
  });

  it('is refused for an unknown id, and creates none of its messages (R-M2, R-I1)', async () => {
    const token = newToken();
    await phone(application, 'checked', { activities: { known: token } });
    const unknown = { application, notifications: [updating('known', 1), updating('unknown', 1)] };
    expect(await replyTo('updateLiveActivity', unknown)).toEqual(
      refused('notifications[1].live_activity_id: not found'),
    );
    const ended = [updating('known', 1), updating('known', 2, { event: 'end' }), updating('known', 3)];
    expect(await replyTo('updateLiveActivity', { application, notifications: ended })).toEqual(
      refused('notifications[2].live_activity_id: live activity is closed'),
    );
    await world.settle();
    expect(shownOn(token)).toEqual([]);
    const long = [updating('x'.repeat(256), 1)];
    expect(await replyTo('updateLiveActivity', { application, notifications: long })).toEqual(
      refused('notifications[0].live_activity_id: must be 1 to 255 characters'),
    );
  });

  it('fails on its devices with a state beyond the limit of APNs (R-I23)', async () => {
    await phone(application, 'large', { activities: { large: newToken() } });
    const [code] = await update(application, {
      ...updating('large', 1, { 'content-state': { stage: 1, text: 'x'.repeat(5_000) } }),
    });
    await world.settle();
    expect(await figuresOf(code!)).toMatchObject({ sent: 0, errors: { INVALID_CONTENT: 1 } });
  });
});
