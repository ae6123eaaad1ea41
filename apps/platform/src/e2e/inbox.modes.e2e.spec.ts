import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apnsToken, fcmToken, startSubscriber, type Subscriber } from '@tidings/simulators';
import type { Parameters, PlatformWorld } from '@tidings/testing';
import { android, ANDROID, CODE, IOS, ios, MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();
const { register, send, funnelOf, metricsOf, brokenBy } = test;
let world: PlatformWorld;
beforeAll(() => {
  ({ world } = test);
});

const DAY_SECONDS = 86_400;
let tokens = 0;
const newAndroid = (more: Parameters = {}) => ({ ...android(fcmToken('accepted', 7_000 + ++tokens)), ...more });
const newIos = (more: Parameters = {}) => ({ ...ios(apnsToken('accepted', 7_000 + ++tokens)), ...more });

const list = (application: string, userId: string, more: Parameters = {}) =>
  world.call('getInboxMessages', { application, userId, ...more });
const textsOf = async (application: string, userId: string, more: Parameters = {}) =>
  (await list(application, userId, more)).messages.map(({ text }) => text);
const setStatus = (application: string, userId: string, inbox_code: string, status: number, more: Parameters = {}) =>
  world.call('inboxStatus', { application, userId, inbox_code, status, ...more });
const saved = async (application: string, ...notifications: Parameters[]): Promise<readonly string[]> => {
  const { Messages } = await send(application, ...notifications.map((each) => ({ inbox_days: 2, ...each })));
  await world.settle();
  return Messages;
};
const refusal = async (method: 'getInboxMessages' | 'inboxStatus' | 'createMessage', parameters: Parameters) => {
  const { status, body } = await world.reply(method, parameters);
  const { status_code: code, status_message: message } = body as { status_code: number; status_message: string };
  return { status, code, message };
};

describe('an inbox entry', () => {
  it('is shared by all devices of a user, with or without a token, in the language of the last one (R-J2, R-J5)', async () => {
    const application = await world.application();
    await register(application, 'phone', newAndroid({ userId: 'anna', language: 'en', tags: { Name: 'zoë' } }));
    await register(application, 'tablet', { device_type: IOS, userId: 'anna', language: 'de', tags: { Name: 'anna' } });
    await register(application, 'laptop', { device_type: ANDROID, language: 'en' });
    await world.call('applicationOpen', { application, hwid: 'tablet' });
    const [code] = await saved(application, {
      content: { en: 'Hello', de: 'Hallo {{Name|CapitalizeFirst|du}}' },
      title: 'News',
      data: { article: 17 },
      link: 'app://a/{{Name}}',
      inbox_image: 'https://example.com/a.png',
    });
    expect(code).toMatch(CODE);
    const { devices } = await world.call('findDevices', { application, user: 'anna' });
    expect(devices.map(({ hwid, inbox: { entries, new: fresh } }) => [hwid, entries, fresh]).toSorted()).toEqual([
      ['phone', 1, 1],
      ['tablet', 1, 1],
    ]);
    const inbox = await list(application, 'anna');
    expect(inbox).toMatchObject({ deleted: [], new_inbox: 1, next: inbox.messages[0]!.order });
    const [message] = inbox.messages;
    expect(inbox.messages).toHaveLength(1);
    expect(message).toMatchObject({
      inbox_id: code,
      title: 'News',
      text: 'Hallo Anna',
      image: 'https://example.com/a.png',
      status: 1,
      action_type: 1,
    });
    expect(JSON.parse(message!.action_params)).toEqual({ l: 'app://a/anna', u: '{"article":17}', p: message!.hash });
    const savedAt = Number(message!.send_date);
    expect(Number(message!.rt)).toBe((Math.floor(savedAt / DAY_SECONDS) + 2) * DAY_SECONDS + 1);
    expect(await textsOf(application, 'laptop')).toEqual(['Hello']);
    expect(await list(application, 'nobody')).toEqual({ messages: [], next: '', deleted: [], new_inbox: 0 });
  });

  it('is saved for the recipients only, whether or not the push succeeds', async () => {
    const application = await world.application({ ios: false });
    await register(application, 'dead', android(fcmToken('dead', 1)));
    await register(application, 'not-set-up', newIos());
    await register(application, 'other', newAndroid({ tags: { Level: 1 } }));
    await saved(application, { content: 'named', devices: ['dead', 'not-set-up'] });
    await saved(application, { content: 'page', devices: ['dead'], rich_media: 'ABCDE-12345' });
    await saved(application, { content: 'selected', conditions: [['Level', 'EQ', 1]], inbox_days: 1 });
    await send(application, { content: 'not saved' });
    await world.settle();
    const [page, named] = (await list(application, 'dead')).messages;
    expect(page).toMatchObject({ text: 'page', title: '', image: '', action_type: 2 });
    expect(JSON.parse(page!.action_params)).toMatchObject({ rm: '{"code":"ABCDE-12345"}' });
    expect(named).toMatchObject({ text: 'named', action_type: 0, action_params: `{"p":"${named!.hash}"}` });
    expect(await textsOf(application, 'not-set-up')).toEqual(['named']);
    expect(await textsOf(application, 'other')).toEqual(['selected']);
  });

  it('has a hash for the reports of its device', async () => {
    const application = await world.application();
    await register(application, 'phone', newAndroid());
    const [code] = await saved(application, { content: 'hashed' });
    const [message] = (await list(application, 'phone')).messages;
    await world.call('pushStat', { application, hwid: 'phone', hash: message!.hash });
    await world.settle();
    expect(await metricsOf(application, code!)).toMatchObject([{ platform: ANDROID, opens: 1 }]);
  });
});

describe('a page of an inbox', () => {
  it('lists the newest first, also of messages that waited for their date, and the last page is empty (R-J3)', async () => {
    const application = await world.application();
    await register(application, 'phone', newAndroid({ userId: 'paul' }));
    const { now } = await world.call('advanceClock', { advance_seconds: 0 });
    const send_date = new Date(Date.parse(now) + 60_000).toISOString().slice(0, 19);
    await saved(application, { content: 'scheduled', send_date, inbox_days: 30 });
    await saved(application, { content: 'first' }, { content: 'second', users: ['paul'] });
    await world.advance(61);
    await world.settle();
    const all = await list(application, 'paul');
    expect(all.messages.map(({ text }) => text)).toEqual(['scheduled', 'second', 'first']);
    const pages: (readonly string[])[] = [];
    let last_code: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof list>> = await list(application, 'paul', { last_code, count: 2 });
      pages.push(page.messages.map(({ order }) => order));
      last_code = page.next;
    } while (pages.at(-1)!.length > 0);
    const orders = all.messages.map(({ order }) => order);
    expect(pages).toEqual([orders.slice(0, 2), orders.slice(2), []]);
    expect(last_code).toBe(orders[2]);
    expect(await list(application, 'paul', { count: 1 })).toMatchObject({ new_inbox: 3 });
  });
});

describe('the status of an entry', () => {
  it('is that of the last call until the entry is deleted (R-S4, R-J4)', async () => {
    const application = await world.application();
    await register(application, 'phone', newAndroid({ userId: 'rita' }));
    await saved(application, { content: 'one' }, { content: 'two' });
    const { messages, next: _next } = await list(application, 'rita');
    const [two, one] = messages.map(({ order }) => order) as [string, string];
    const statuses = async () => (await list(application, 'rita')).messages.map(({ order, status }) => [order, status]);
    const at = Math.floor(Date.parse((await world.call('advanceClock', { advance_seconds: 0 })).now) / 1000);
    await setStatus(application, 'rita', one, 3, { time: at - 10 });
    expect(await statuses()).toEqual([
      [two, 1],
      [one, 3],
    ]);
    await setStatus(application, 'rita', one, 1, { time: at - 20 });
    expect((await statuses())[1]).toEqual([one, 3]);
    await setStatus(application, 'rita', one, 2, { time: at - 5, hwid: 'phone', hash: 'x', device_type: 3 });
    expect(await list(application, 'rita')).toMatchObject({ new_inbox: 1 });
    expect((await statuses())[1]).toEqual([one, 2]);
    await setStatus(application, 'rita', one, 4);
    await setStatus(application, 'rita', one, 1);
    expect(await statuses()).toEqual([[two, 1]]);
    expect(await list(application, 'rita')).toMatchObject({ deleted: [], new_inbox: 1 });
  });

  it('is set for entries of the user only (R-J6)', async () => {
    const application = await world.application();
    await register(application, 'phone', newAndroid({ userId: 'sam' }));
    await register(application, 'other', newAndroid());
    await saved(application, { content: 'to sam', users: ['sam'] });
    const [message] = (await list(application, 'sam')).messages;
    const call = { application, inbox_code: message!.order, status: 2 };
    const notFound = { status: 200, code: 210, message: 'Inbox message not found' };
    expect(await refusal('inboxStatus', { ...call, userId: 'other' })).toEqual(notFound);
    expect(await refusal('inboxStatus', { ...call, userId: 'nobody' })).toEqual(notFound);
    expect(await refusal('inboxStatus', { ...call, userId: 'sam', inbox_code: '17' })).toEqual(notFound);
    expect(await refusal('inboxStatus', { ...call, userId: 'sam', inbox_code: 'x' })).toEqual(notFound);
  });
});

describe('the figures of inboxes', () => {
  it('count an entry once as opened, and for every device of its owner in the funnel (R-H4, R-H20)', async () => {
    const application = await world.application();
    await register(application, 'phone', newAndroid({ userId: 'tom' }));
    await register(application, 'tablet', newIos({ userId: 'tom' }));
    await register(application, 'quiet', { device_type: ANDROID });
    await register(application, 'reader', newAndroid({ userId: 'uma' }));
    await register(application, 'away', newAndroid());
    const [code] = await saved(application, { content: 'counted' });
    for (const user of ['tom', 'quiet', 'uma']) await list(application, user);
    const orderOf = async (user: string) => (await list(application, user)).messages[0]!.order;
    for (let twice = 0; twice < 2; twice++) {
      await setStatus(application, 'tom', await orderOf('tom'), 3, { hwid: 'tablet' });
      await setStatus(application, 'uma', await orderOf('uma'), 2, { hwid: 'reader' });
    }
    await world.settle();
    const { channels } = await funnelOf(code!);
    const inbox = channels.find(({ channel }) => channel === 'CHANNEL_APP_INBOX')!;
    const push = channels.find(({ channel }) => channel === 'CHANNEL_MOBILE_PUSH')!;
    expect(inbox.funnel.map(({ stage, count }) => [stage, count])).toEqual([
      ['STAGE_AUDIENCE', '5'],
      ['STAGE_SENT', '5'],
      ['STAGE_ERRORS', '0'],
      ['STAGE_REACHED', '4'],
      ['STAGE_READ', '3'],
      ['STAGE_OPENED', '2'],
    ]);
    expect(inbox.funnel.at(-1)!.platforms).toEqual([
      { platform: IOS, count: '1' },
      { platform: ANDROID, count: '1' },
    ]);
    expect(push.funnel[0]).toMatchObject({ stage: 'STAGE_AUDIENCE', count: '4' });
    const opens = (await metricsOf(application, code!)).map(({ platform, inbox_opens }) => [platform, inbox_opens]);
    expect(opens).toEqual([
      [IOS, 1],
      [ANDROID, 0],
    ]);
    expect(await brokenBy(application, code!)).toEqual([]);
  });
});

describe('the owner of an entry', () => {
  it('is the user of the device at the send, even if the device has another user now (R-J2)', async () => {
    const application = await world.application();
    await register(application, 'shared', newAndroid());
    await saved(application, { content: 'before users' });
    await world.call('registerUser', { application, hwid: 'shared', userId: 'vera' });
    await saved(application, { content: 'of vera' });
    await world.call('registerUser', { application, hwid: 'shared', userId: 'will' });
    await saved(application, { content: 'of will' });
    expect(await textsOf(application, 'shared')).toEqual(['before users']);
    expect(await textsOf(application, 'vera')).toEqual(['of vera']);
    expect(await textsOf(application, 'vera', { hwid: 'shared' })).toEqual(['of vera']);
    expect(await textsOf(application, 'will')).toEqual(['of will']);
    expect(await textsOf(application, 'will', { hwid: 'shared' })).toEqual(['of will', 'before users']);
  });

  it('transfers the inbox by mergeUser, statuses included, or loses it (R-X2)', async () => {
    const application = await world.application();
    await register(application, 'guest-phone', newAndroid({ userId: 'guest' }));
    await register(application, 'lent', newAndroid({ userId: 'guest' }));
    await saved(application, { content: 'old' }, { content: 'read', users: ['guest'] });
    await world.call('registerUser', { application, hwid: 'lent', userId: 'xena' });
    await setStatus(application, 'guest', (await list(application, 'guest')).messages[0]!.order, 2);
    await world.call('mergeUser', { application, oldUserId: 'guest', newUserId: 'yves', merge: true });
    expect(await textsOf(application, 'guest')).toEqual([]);
    expect(await textsOf(application, 'xena')).toEqual([]);
    const { messages } = await list(application, 'yves');
    expect(messages.map(({ text, status }) => [text, status])).toEqual([
      ['read', 2],
      ['old', 1],
    ]);
    await world.call('mergeUser', { application, oldUserId: 'yves', merge: false });
    expect(await textsOf(application, 'yves')).toEqual([]);
    await saved(application, { content: 'new', devices: ['guest-phone'] });
    expect(await textsOf(application, 'guest-phone')).toEqual(['new']);
    await world.call('mergeUser', { application, oldUserId: 'guest-phone', merge: false });
    expect(await textsOf(application, 'guest-phone')).toEqual([]);
    await saved(application, { content: 'newer', devices: ['guest-phone'] });
    expect(await textsOf(application, 'guest-phone')).toEqual(['newer']);
  });

  it('is found by the address of a contact in any case (R-E1, R-J2)', async () => {
    const application = await world.application();
    const email = 'nora@inbox.example';
    await world.call('registerEmail', { application, email });
    await saved(application, { content: 'before users', devices: [email] });
    await world.call('registerEmailUser', { application, email, userId: 'nora' });
    const hwid = 'Nora@Inbox.example';
    const { messages } = await list(application, 'nora', { hwid });
    expect(messages.map(({ text }) => text)).toEqual(['before users']);
    await setStatus(application, 'nora', messages[0]!.order, 4, { hwid });
    expect(await textsOf(application, 'nora', { hwid: email })).toEqual([]);
  });

  it('keeps its statuses when a contact is erased whose address is the user id (R-S4, R-E6)', async () => {
    const application = await world.application();
    const email = 'olga@inbox.example';
    await register(application, 'phone', newAndroid({ userId: email }));
    await world.call('registerEmail', { application, email });
    await saved(application, { content: 'read' }, { content: 'deleted' });
    const { messages } = await list(application, email, { hwid: 'phone' });
    await setStatus(application, email, messages.find(({ text }) => text === 'deleted')!.order, 4, { hwid: 'phone' });
    await setStatus(application, email, messages.find(({ text }) => text === 'read')!.order, 2, { hwid: 'phone' });
    await world.call('deleteEmail', { application, email });
    await world.settle();
    const left = await list(application, email, { hwid: 'phone' });
    expect(left.messages.map(({ text, status }) => [text, status])).toEqual([['read', 2]]);
    expect(left.new_inbox).toBe(0);
  });

  it('loses it with the last device, and a new registration starts without one (R-C8)', async () => {
    const application = await world.application();
    const phone = newAndroid({ userId: 'zack' });
    await register(application, 'phone', phone);
    await saved(application, { content: 'gone' });
    await list(application, 'zack');
    await world.call('deleteDevice', { application, hwid: 'phone' });
    expect(await list(application, 'zack')).toEqual({ messages: [], next: '', deleted: [], new_inbox: 0 });
    await register(application, 'phone', phone);
    expect(await textsOf(application, 'zack')).toEqual([]);
  });
});

describe('an operator', () => {
  it('deletes the entries of a message in all inboxes permanently (R-S4, R-T8)', async () => {
    const application = await world.application();
    for (const hwid of ['one', 'two']) await register(application, hwid, newAndroid());
    await saved(application, { content: 'kept' }, { content: 'withdrawn' });
    const [{ order } = { order: '' }] = (await list(application, 'one')).messages;
    await world.call('deleteInboxMessage', { code: application, order });
    for (const user of ['one', 'two']) {
      const { messages, deleted, new_inbox } = await list(application, user);
      expect(messages.map(({ text }) => text)).toEqual(['kept']);
      expect({ deleted, new_inbox }).toEqual({ deleted: [order], new_inbox: 1 });
    }
    await setStatus(application, 'one', order, 3);
    expect(await textsOf(application, 'one')).toEqual(['kept']);
    const missing = await world.reply('deleteInboxMessage', { code: application, order: '17' });
    expect(missing.status).toBe(404);
    const other = await world.application();
    expect((await world.reply('deleteInboxMessage', { code: other, order })).status).toBe(404);
  });
});

describe('invalid input', () => {
  it('is refused by the methods of inboxes (R-J1, R-J3, R-J6)', async () => {
    const application = await world.application();
    const argument = (message: string) => ({ status: 200, code: 210, message });
    const missing = (name: string) => ({ status: 400, code: undefined, message: `Missing required argument: ${name}` });
    expect(await refusal('getInboxMessages', { application })).toEqual(missing('userId'));
    expect(await refusal('inboxStatus', { application, userId: 'a', status: 1 })).toEqual(missing('inbox_code'));
    expect(await refusal('inboxStatus', { application, inbox_code: '1', status: 1 })).toEqual(missing('userId'));
    expect(await refusal('inboxStatus', { application, inbox_code: '1', userId: 'a' })).toEqual(missing('status'));
    for (const status of [0, 5, -1]) {
      const call = { application, inbox_code: '1', userId: 'a', status };
      expect(await refusal('inboxStatus', call)).toEqual(argument('status: must be 1 to 4'));
    }
    const page = { application, userId: 'a' };
    expect(await refusal('getInboxMessages', { ...page, count: -1 })).toEqual(argument('count: must not be negative'));
    expect(await refusal('getInboxMessages', { ...page, last_code: 'x' })).toEqual(
      argument('last_code: must be an integer'),
    );
    expect(await refusal('getInboxMessages', { userId: 'a', application: 'AAAAA-00000' })).toEqual(
      argument('Access denied or application not found'),
    );
    expect(await refusal('getInboxMessages', { ...page, auth: 'wrong' })).toMatchObject({ status: 403 });
  });

  it('is refused by createMessage, and saves nothing (R-I21)', async () => {
    const application = await world.application();
    const today = new Date(Date.parse((await world.call('advanceClock', { advance_seconds: 0 })).now));
    const refused = async (fields: Parameters) =>
      (await refusal('createMessage', { application, notifications: [{ content: 'x', ...fields }] })).message;
    const date = 'notifications[0].inbox_date: must be after the send date';
    expect(await refused({ inbox_date: today.toISOString().slice(0, 10) })).toBe(date);
    expect(await refused({ inbox_date: 'tomorrow' })).toBe(date);
    expect(await refused({ inbox_date: '2099-02-30' })).toBe(date);
    for (const inbox_days of [0, 31]) {
      expect(await refused({ inbox_days })).toBe('notifications[0].inbox_days: must be 1 to 30');
    }
    expect(await refused({ inbox_image: {} })).toBe('notifications[0].inbox_image: must be a string');
  });
});

// Last, because it advances the clock by days.
describe('an expiring entry', () => {
  it('expires one second after midnight of its day, and its message is stored until then (R-I21, R-J4)', async () => {
    const application = await world.application();
    await register(application, 'phone', newAndroid());
    const { now } = await world.call('advanceClock', { advance_seconds: 0 });
    const day = (days: number) => new Date(Date.parse(now) + days * 86_400_000).toISOString().slice(0, 10);
    await saved(application, { content: 'tomorrow', inbox_days: null, inbox_image: 'x' });
    await saved(application, { content: 'in two days' }, { content: 'much later', inbox_date: day(12) });
    const { messages } = await list(application, 'phone');
    expect(messages.map(({ rt }) => Number(rt) % DAY_SECONDS)).toEqual([1, 1, 1]);
    const midnight = Number(messages[2]!.rt) - Math.floor(Date.parse(now) / 1000);
    await world.advance(midnight + 1);
    expect(await textsOf(application, 'phone')).toEqual(['much later', 'in two days']);
    const gone = { application, userId: 'phone', inbox_code: messages[2]!.order, status: 2 };
    expect(await refusal('inboxStatus', gone)).toMatchObject({ message: 'Inbox message not found' });
    await world.advance(DAY_SECONDS * 9);
    await world.settle();
    expect(await textsOf(application, 'phone')).toEqual(['much later']);
  });

  it('does not return when its message reaches another device of the user on the next day (R-S4)', async () => {
    const application = await world.application();
    await register(application, 'east', newAndroid({ userId: 'theo', timezone: DAY_SECONDS / 2 }));
    await register(application, 'west', newAndroid({ userId: 'theo', timezone: -DAY_SECONDS / 2 }));
    const now = async () => Date.parse((await world.call('advanceClock', { advance_seconds: 0 })).now) / 1000;
    const goTo = async (seconds: number): Promise<void> => {
      await world.advance(Math.ceil(seconds - (await now())));
      await world.settle();
    };
    // The two devices reach a midnight at noon in UTC, a day apart.
    const noon = (Math.floor((await now()) / DAY_SECONDS) + 1.5) * DAY_SECONDS;
    const send_date = new Date((noon + DAY_SECONDS / 2) * 1000).toISOString().slice(0, 16);
    const dated = { send_date, ignore_user_timezone: false, inbox_days: 1 };
    await send(application, { content: 'to all', ...dated }, { content: 'to him', users: ['theo'], ...dated });
    await goTo(noon + 60);
    const { messages } = await list(application, 'theo');
    expect(messages.map(({ text }) => text).sort()).toEqual(['to all', 'to him']);
    for (const { order } of messages) await setStatus(application, 'theo', order, 4);
    await goTo(noon + DAY_SECONDS + 60);
    expect(await list(application, 'theo')).toMatchObject({ messages: [], new_inbox: 0 });
  });
});

describe('a push of a message that is saved to inboxes', () => {
  it('contains the entry for inboxStatus, and so does the event of the push', async () => {
    const subscriber = await startSubscriber();
    const application = await world.application();
    const { endpoint } = subscriber;
    const request = { endpoint, events: ['Push Sent'], applications: [application] };
    const { id } = await world.call('createSubscription', request);
    const [phone, tablet] = [fcmToken('accepted', 7_900), apnsToken('accepted', 7_900)];
    await register(application, 'push-phone', { ...android(phone), userId: 'pia' });
    await register(application, 'push-tablet', { ...ios(tablet), userId: 'pia' });
    await saved(application, { content: 'Hello', inbox_image: 'https://example.com/p.png' });
    const { messages } = await list(application, 'pia');
    const { order, rt } = messages[0]!;
    const params = { image: 'https://example.com/p.png', rt };
    const { data } = test.payloadOf('fcm', phone)['message'] as { data: Parameters };
    expect(data).toMatchObject({ pw_inbox: order, inbox_params: JSON.stringify(params) });
    expect(test.payloadOf('apns', tablet)).toMatchObject({ pw_inbox: order, inbox_params: params });
    await setStatus(application, 'pia', String(data['pw_inbox']), 3);
    expect((await list(application, 'pia')).messages).toMatchObject([{ order, status: 3 }]);
    const payloads = subscriber.received.map(({ payload }) => JSON.parse(payload) as Parameters);
    const handedOver = [test.payloadOf('apns', tablet), test.payloadOf('fcm', phone)];
    expect(payloads).toHaveLength(2);
    expect(payloads).toEqual(expect.arrayContaining(handedOver));
    await send(application, { content: 'not saved', devices: ['push-tablet'] });
    await world.settle();
    expect(test.payloadOf('apns', tablet)).not.toHaveProperty('pw_inbox');
    await world.call('deleteSubscription', { id });
    subscriber.down();
  });

  it('contains the position that the release assigns to a scheduled one', async () => {
    const application = await world.application();
    const token = fcmToken('accepted', 7_901);
    await register(application, 'later', android(token));
    const { now } = await world.call('advanceClock', { advance_seconds: 0 });
    const send_date = new Date(Date.parse(now) + 60_000).toISOString().slice(0, 19).replace('T', ' ');
    await saved(application, { content: 'scheduled', send_date }, { content: 'at once' });
    await world.advance(90);
    await world.settle();
    const { messages } = await list(application, 'later');
    expect(messages.map(({ text }) => text)).toEqual(['scheduled', 'at once']);
    const { data } = test.payloadOf('fcm', token)['message'] as { data: Parameters };
    expect(data).toMatchObject({ title: 'scheduled', pw_inbox: messages[0]!.order });
  });
});

describe('events of inboxes (R-EV2, R-EV3)', () => {
  let subscriber: Subscriber;
  beforeAll(async () => {
    subscriber = await startSubscriber();
  });
  afterAll(() => subscriber?.down());

  it('report every device that received the entry, the first of each kind', async () => {
    const application = await world.application();
    const events = ['Inbox Delivered', 'Inbox Read', 'Inbox Opened', 'Inbox Deleted'];
    const { endpoint } = subscriber;
    const { id } = await world.call('createSubscription', { endpoint, events, applications: [application] });
    await register(application, 'ev-phone', newAndroid({ userId: 'eve' }));
    await register(application, 'ev-tablet', { device_type: IOS, userId: 'eve' });
    const [code] = await saved(application, { content: 'Hello', inbox_image: 'https://example.com/e.png' });
    const [message] = (await list(application, 'eve')).messages;
    const { order, rt } = message!;
    for (const status of [2, 2, 3, 2, 4]) await setStatus(application, 'eve', order, status);
    await list(application, 'eve');
    await world.settle();
    const received = subscriber.received.map(({ eventName, hwid }) => `${hwid} ${eventName}`);
    const expected = ['ev-phone', 'ev-tablet'].flatMap((hwid) => events.map((name) => `${hwid} ${name}`));
    expect(received.toSorted()).toEqual(expected.toSorted());
    for (const hwid of ['ev-phone', 'ev-tablet']) {
      const own = subscriber.received.filter((event) => event.hwid === hwid);
      expect(own.map(({ eventName }) => eventName)).toEqual(events);
    }
    for (const event of subscriber.received) {
      expect(event).toMatchObject({
        messageCode: code,
        applicationCode: application,
        userId: 'eve',
        payload: JSON.stringify({ inbox_code: order }),
        attributes: { inboxCode: order, inboxDate: Number(rt), inboxImage: 'https://example.com/e.png' },
      });
    }
    expect(new Set(subscriber.received.map(({ uuid }) => uuid)).size).toBe(8);
    await world.call('deleteSubscription', { id });
  });
});
