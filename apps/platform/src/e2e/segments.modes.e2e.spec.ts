import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, MethodName } from '@tidings/client';
import { clientWith, type Parameters, platform, type PlatformWorld } from '@tidings/testing';

const CODE = /^[0-9A-F]{5}-[0-9A-F]{5}$/;
const FORBID = 'Token restrictions forbid this operation';
const DAY_S = 86_400;

let world: PlatformWorld;
let application: string;
let sibling: string;
let foreign: string;
let restricted: ApiClient;
let stranger: ApiClient;

/** Levels 0 to 9; every second device is an iPhone, the last two have no token. */
const phones = Array.from({ length: 10 }, (_, level) => ({
  hwid: `phone-${level}`,
  device_type: level % 2 === 0 ? 1 : 3,
  ...(level < 8 && { push_token: level % 2 === 0 ? String(level).repeat(64) : `token-${level}` }),
  ...(level < 2 && { timezone: level === 0 ? 19_800 : -3600 }),
  tags: { Level: level, Interests: level < 3 ? ['news', 'sport'] : ['news'], ...(level === 9 && { Name: 'Ann "A"' }) },
}));

beforeAll(async () => {
  world = await platform();
  application = await world.application();
  sibling = await world.application({ title: 'Sibling', ios: false, android: false });
  await world.call('addTag', { tag: { name: 'Level', type: 1, application_specific: true } });
  await world.call('addTag', { tag: { name: 'Interests', type: 3, application_specific: true } });
  await world.call('addTag', { tag: { name: 'Name', type: 2, application_specific: true } });
  for (const phone of phones) await world.call('registerDevice', { application, ...phone });
  await world.call('registerDevice', { application: sibling, hwid: 'phone-0', device_type: 3, tags: { Level: 5 } });
  const { account } = await world.call('createAccount', { name: 'Other' });
  stranger = await clientWith(world, { account, applications: 'all' });
  foreign = (await stranger.call('createApplication', { title: 'Foreign' })).application;
  restricted = await clientWith(world, { applications: [application] });
});
afterAll(async () => {
  restricted?.close();
  stranger?.close();
  await world?.stop();
});

const count = async (expression: string): Promise<number> =>
  (await world.call('compileFilter', { devices_filter: expression })).devices_count;
const errorOf = async (
  name: MethodName,
  parameters: Parameters,
  client: ApiClient = world.client,
): Promise<unknown> => {
  const { status, body } = await client.reply(name, parameters);
  const { status_code: code, status_message: text, response } = body as Record<string, unknown>;
  expect(response).toBe(code === 210 && name === 'createMessage' ? response : null);
  return [status, code, text];
};
const argument = (text: string) => [200, 210, text];
const listed = async (of = application, client: ApiClient = world.client) =>
  (await client.call('listFilters', { application: of })).filters;

describe('compileFilter', () => {
  it.each([
    ['A("APP")', 10],
    ['A("APP") + A("SIB")', 11],
    ['T("Level", GTE, 5)', 6],
    ['T("Level", GTE, 5) * A(APP)', 5],
    ['AT("APP", "Level", BETWEEN, [2, 5]) \\ A("APP", [iOS])', 2],
    ['A("APP", ["Android", ios], [with_tokens])', 8],
    ['(A("APP") \\ T(Level, IN, [1, 2, 3])) * T("Interests", EQ, "sport")', 1],
    ['AT("APP", "Name", NOTEQ, "Ann \\"A\\"")', 9],
    ['A("APP") * AT("SIB", "Level", EQ, 5)', 0],
    ['A("APP") * T("First Install", daysago, eq, 0)', 10],
    ['A("APP") * T("First Install", LTE, "1 days ago")', 0],
    ['A("APP") \\ T("Last Application Open", daysago, lte, 7)', 10],
    // Official clients send these for discontinued platforms, and for time zones (R-RES13).
    ['A("APP", ["ASHA", "BADA", "Symbian"])', 0],
    ['A("APP", ["ASHA", "iOS"])', 5],
    ['A("APP") \\ A("APP", ["BADA"])', 10],
    ['A("APP") * T("Timezone", BETWEEN, ["UTC-12:00", "UTC+14:00"])', 2],
    ['A("APP") * T("Timezone", GTE, "UTC+05:30")', 1],
  ])('counts the devices of %s', async (expression, devices) => {
    expect(await count(expression.replaceAll('APP', application).replaceAll('SIB', sibling))).toBe(devices);
  });

  it('has a counterpart for one application, and names the position of an error', async () => {
    const countIn = (code: string) => world.call('countDevices', { code, expression: 'T("Level", GTE, 5)' });
    expect(await countIn(application)).toEqual({ devices: 5, sampled: false, share: 1 });
    expect(await countIn(sibling)).toEqual({ devices: 1, sampled: false, share: 1 });
    expect(await world.reply('countDevices', { code: application, expression: 'T("Level" GTE, 5)' })).toMatchObject({
      status: 400,
      body: { error: { kind: 'argument', message: expect.stringMatching(/^expression: .* at position 10$/) } },
    });
  });

  it('accepts the groups of the account', async () => {
    const { code } = await world.call('createGroup', { name: 'Both', applications: [application, sibling] });
    expect(await count(`G("${code}")`)).toBe(11);
    expect(await count(`G("${code}", [ios]) * T(Level, GTE, 4)`)).toBe(3);
    expect(await errorOf('compileFilter', { devices_filter: `G("${code}")` }, stranger)).toEqual(
      argument(`devices_filter: unknown group "${code}"`),
    );
  });

  it('compares with the latest possible dates', async () => {
    await world.call('addTag', { tag: { name: 'Until', type: 4 } });
    const tags = { Until: '9999-12-31 00:00' };
    await world.call('registerDevice', { application, ...phones[0], tags });
    expect((await world.call('getTags', { application, hwid: 'phone-0' })).result).toMatchObject(tags);
    expect(await count(`A(${application}) * T(Until, GTE, "9999-12-31")`)).toBe(1);
    expect(await count(`A(${application}) * T(Until, BETWEEN, ["9999-12-31", 253402300740])`)).toBe(1);
  });

  it('counts the devices that the token may access', async () => {
    const parametersOf = (devices_filter: string) => ({ devices_filter });
    expect(await restricted.call('compileFilter', parametersOf('T("Level", EQ, 5)'))).toEqual({ devices_count: 1 });
    expect(await errorOf('compileFilter', parametersOf(`A("${sibling}")`), restricted)).toEqual([403, 403, FORBID]);
    expect(await errorOf('compileFilter', parametersOf(`A("${foreign}")`))).toEqual(
      argument(`devices_filter: unknown application "${foreign}"`),
    );
    expect(await stranger.call('compileFilter', parametersOf('T("Language", NOTEQ, "xx")'))).toEqual({
      devices_count: 0,
    });
  });

  it.each([
    ['', 'unexpected end at position 0'],
    ['T("Level", EQ, 1', '")" expected at position 16'],
    ['T("Nope", EQ, 1)', 'unknown tag "Nope"'],
    ['T("Level", EQ, "x")', 'wrong operand for Integer tag'],
    ['T("Name", GTE, "x")', 'operator GTE is not valid for String tag'],
    ['T("Level", daysago, gt, 3)', 'operator DAYSAGO is not valid for Integer tag'],
    ['Event("x")', 'Event is not supported'],
    ['G("AAAAA-00000")', 'unknown group "AAAAA-00000"'],
    ['Segment("AAAAA-00000")', 'unknown segment "AAAAA-00000"'],
    [`${'('.repeat(5000)}`, 'nested too deeply at position 1000'],
    [`${' '.repeat(65_537)}`, 'at most 65536 characters'],
  ])('refuses an invalid expression, and gives the reason: %#', async (devices_filter, reason) => {
    expect(await errorOf('compileFilter', { devices_filter })).toEqual(argument(`devices_filter: ${reason}`));
  });
});

describe('filters', () => {
  const create = (name: string, filter_expression: string, more: Parameters = {}) =>
    world.call('createFilter', { name, filter_expression, ...more });
  const codeOf = async (name: string) => (await listed()).find((filter) => filter.name === name)!.code;
  const expectRefused = async (expression: string, reason: string): Promise<void> => {
    expect(await errorOf('compileFilter', { devices_filter: expression })).toEqual(
      argument(`devices_filter: ${reason}`),
    );
    expect(await errorOf('createFilter', { name: 'Refused', filter_expression: expression })).toEqual(
      argument(`filter_expression: ${reason}`),
    );
    expect(await world.reply('exportSegment', { filterExpression: expression })).toMatchObject({
      status: 400,
      body: { message: `filterExpression: ${reason}` },
    });
  };

  it('are stored, listed oldest first, and deleted by name', async () => {
    expect(await create('Upper', 'T("Level", GTE, 5)')).toEqual({ name: 'Upper' });
    await create('Bound', 'T("Level", EQ, 1)', { application });
    await create('Elsewhere', 'T("Level", EQ, 1)', { application: sibling });
    const filters = await listed();
    expect(filters.map(({ code, ...rest }) => ({ ...rest, code: CODE.test(code) }))).toEqual([
      { code: true, name: 'Upper', filter_expression: 'T("Level", GTE, 5)', expiration_date: null, application: null },
      { code: true, name: 'Bound', filter_expression: 'T("Level", EQ, 1)', expiration_date: null, application },
    ]);
    expect(await listed(foreign, stranger)).toEqual([]);
    expect(await errorOf('createFilter', { name: 'Upper', filter_expression: 'A(x)' })).toEqual(
      argument('filter_expression: unknown application "X"'),
    );
    expect(await errorOf('createFilter', { name: 'Upper', filter_expression: 'T("Level", EQ, 2)' })).toEqual(
      argument('Filter already exists'),
    );
    expect(await errorOf('deleteFilter', { name: 'Upper' }, stranger)).toEqual(argument('Filter not found'));
    expect(await errorOf('deleteFilter', { name: 'Elsewhere' }, restricted)).toEqual(argument('Filter not found'));
    const { code } = (await listed(sibling))[1]!;
    expect(await count(`Segment("${code}")`)).toBe(1);
    expect(await errorOf('compileFilter', { devices_filter: `Segment("${code}")` }, restricted)).toEqual(
      argument(`devices_filter: unknown segment "${code}"`),
    );
    await world.call('deleteFilter', { name: 'Bound' });
    expect(await errorOf('deleteFilter', { name: 'Bound' })).toEqual(argument('Filter not found'));
    expect((await listed()).map(({ name }) => name)).toEqual(['Upper']);
  });

  it('contain the named segments as they were, ten deep at most', async () => {
    let code = await codeOf('Upper');
    for (let depth = 1; depth <= 9; depth++) {
      await create(`Depth ${depth}`, `Segment("${code}") \\ T("Level", EQ, ${depth})`);
      code = await codeOf(`Depth ${depth}`);
    }
    expect(await count(`A("${application}") * Segment(${code})`)).toBe(0);
    expect(await count(`A("${application}") \\ Segment(${code})`)).toBe(10);
    await create('Depth 10', `Segment("${code}")`);
    await expectRefused(`Segment(${await codeOf('Depth 10')})`, 'segments nest more than 10 deep');
  });

  it('accept full parentheses, and refuse too deep nesting', async () => {
    const levels = Array.from({ length: 60 }, (_, level) => `T(Level, EQ, ${level})`);
    await create(
      'Any of sixty',
      levels.reduce((left, right) => `(${left} + ${right})`),
    );
    expect(await count(`A(${application}) * Segment(${await codeOf('Any of sixty')})`)).toBe(10);
    const deep = `T(Level, EQ, 0)${' + T(Level, EQ, 1) \\ T(Level, EQ, 2)'.repeat(20)}`;
    await expectRefused(deep, `nested too deeply at position ${deep.lastIndexOf('\\')}`);
  });

  it('take a deleted tag for one that no device has, at once (R-D2)', async () => {
    await world.call('addTag', { tag: { name: 'Gone', type: 1 } });
    await world.call('setTags', { application, hwid: 'phone-1', tags: { Gone: 1 } });
    await create('Had', 'T(Gone, EQ, 1)');
    await create('Had not', 'T(Gone, NOTEQ, 1)');
    const within = async (name: string) => count(`A(${application}) * Segment(${await codeOf(name)})`);
    expect([await within('Had'), await within('Had not')]).toEqual([1, 9]);
    await world.call('deleteTag', { tag: { name: 'Gone' } });
    expect([await within('Had'), await within('Had not')]).toEqual([0, 10]);
  });

  it('expire at midnight of their day', async () => {
    const now = Date.parse((await world.call('advanceClock', { advance_seconds: 0 })).now);
    const day = (ahead: number): string => new Date(now + ahead * DAY_S * 1000).toISOString().slice(0, 10);
    expect(
      await errorOf('createFilter', { name: 'T', filter_expression: 'T(Level, EQ, 1)', expiration_date: day(0) }),
    ).toEqual(argument('expiration_date: must be in the future'));
    expect(
      await errorOf('createFilter', { name: 'T', filter_expression: 'T(Level, EQ, 1)', expiration_date: 'soon' }),
    ).toEqual(argument('expiration_date: must be YYYY-MM-DD'));
    await create('Today', 'T(Level, EQ, 1)', { expiration_date: `${day(2)} 10:00` });
    expect((await listed()).at(-1)).toMatchObject({ name: 'Today', expiration_date: day(2) });
    await world.advance(DAY_S - 120);
    await world.settle();
    expect((await listed()).at(-1)).toMatchObject({ name: 'Today' });
    await world.advance(DAY_S + 240);
    expect((await listed()).map(({ name }) => name)).not.toContain('Today');
    await create('Today', 'T(Level, EQ, 2)');
    await world.settle();
    expect((await listed()).at(-1)).toMatchObject({ name: 'Today', expiration_date: null });
  });
});

describe('a message to a filter', () => {
  const send = async (notification: Parameters): Promise<string> => {
    const { Messages: messages } = await world.call('createMessage', {
      application,
      notifications: [{ content: 'Hello', ...notification }],
    });
    return messages[0]!;
  };
  const audienceOf = async (message: string): Promise<string | undefined> => {
    const { channels } = await world.call('getDeliveryFunnel', { message_code: message });
    return channels[0]?.funnel.find(({ stage }) => stage === 'STAGE_AUDIENCE')?.count;
  };

  it('reaches its devices by name and by code, also after its deletion', async () => {
    await world.call('createFilter', { name: 'Few', filter_expression: 'T("Level", BETWEEN, [2, 5])' });
    const { code } = (await listed()).find(({ name }) => name === 'Few')!;
    const [byName, byCode, byEither] = [
      await send({ filter: 'Few' }),
      await send({ filter_code: code.toLowerCase() }),
      await send({ filter: code }),
    ];
    await world.call('deleteFilter', { name: 'Few' });
    await world.settle();
    for (const message of [byName, byCode, byEither]) expect(await audienceOf(message)).toBe('4');
    const { items } = await world.call('messagesList', {
      filters: { application, messages_codes: [byName] },
      params: { with_details: true },
    });
    expect(items[0]?.push_info?.details).toMatchObject({ filter_name: 'Few', filter_code: code });
  });

  it('reaches the devices in the filter of its preset, unless it names recipients, and keeps that filter', async () => {
    await world.call('createFilter', { name: 'Two', filter_expression: 'T("Level", LTE, 1)' });
    await world.call('createPreset', {
      name: 'Hello',
      applicationCode: application,
      content: { message: 'Hello' },
      segmentation: { filter: 'Two', platforms: [1, 3] },
    });
    const { presets } = await world.call('listPresets', { application });
    const { code: preset } = presets[0]!;
    const [all, others] = [await send({ preset }), await send({ preset, conditions: [['Level', 'BETWEEN', [2, 4]]] })];
    await world.settle();
    expect([await audienceOf(all), await audienceOf(others)]).toEqual(['2', '3']);
    expect(await errorOf('deleteFilter', { name: 'Two' })).toEqual(argument('Filter is used by a preset'));
    await world.call('deletePreset', { preset_code: preset });
    await world.call('deleteFilter', { name: 'Two' });
  });

  it('is refused if the filter is unknown, or used beside conditions', async () => {
    const refused = (notification: Parameters) =>
      errorOf('createMessage', { application, notifications: [{ content: 'x', ...notification }] });
    expect(await refused({ filter: 'Few' })).toEqual(argument('notifications[0].filter: not found'));
    expect(await refused({ filter: 'Elsewhere' })).toEqual(argument('notifications[0].filter: not found'));
    expect(await refused({ filter_code: 'Upper' })).toEqual(argument('notifications[0].filter_code: not found'));
    const conditions = [['Level', 'EQ', 1]];
    for (const field of ['filter', 'filter_code']) {
      expect(await refused({ [field]: 'Upper', conditions })).toEqual(
        argument(`${field} and conditions must not be used together`),
      );
    }
  });
});

describe('objects of the whole account (R-T9)', () => {
  it('are deleted only by a token for all applications', async () => {
    await world.call('addTag', { tag: { name: 'Of all', type: 1 } });
    await world.call('createFilter', { name: 'Of all', filter_expression: 'T("Of all", EQ, 1)' });
    const forbidden = [403, 403, FORBID];
    expect(await errorOf('deleteFilter', { name: 'Of all' }, restricted)).toEqual(forbidden);
    expect(await errorOf('deleteTag', { tag: { name: 'Of all' } }, restricted)).toEqual(forbidden);
    expect(await count('T("Of all", EQ, 1)')).toBe(0);
    await world.call('deleteFilter', { name: 'Of all' });
    await world.call('deleteTag', { tag: { name: 'Of all' } });
  });

  it('are visible to other tokens if they name no application that those may not use', async () => {
    const { code: both } = await world.call('createGroup', { name: 'Shown', applications: [application, sibling] });
    const filters = {
      'Names none': 'T("Level", EQ, 1)',
      'Names its own': `A("${application}")`,
      'Names another': `A("${sibling}")`,
      'Tags of another': `AT("${sibling}", "Level", EQ, 1)`,
      'Names a group': `G("${both}")`,
    };
    for (const [name, expression] of Object.entries(filters)) {
      await world.call('createFilter', { name, filter_expression: expression });
    }
    const names = async (client?: ApiClient): Promise<string[]> =>
      (await listed(application, client)).map(({ name }) => name).filter((name) => name in filters);
    expect(await names()).toEqual(Object.keys(filters));
    expect(await names(restricted)).toEqual(['Names none', 'Names its own']);
    for (const name of Object.keys(filters)) await world.call('deleteFilter', { name });
  });
});
