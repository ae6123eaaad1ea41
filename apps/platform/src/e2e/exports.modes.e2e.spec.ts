import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, ReplyOf } from '@tidings/client';
import { clientWith, type Parameters, platform, type PlatformWorld, type Unzipped, unzipped } from '@tidings/testing';

const FORBID = 'Token restrictions forbid this operation';
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const IOS_TOKEN = 'AB'.repeat(32);

let world: PlatformWorld;
let application: string;
let sibling: string;
let restricted: ApiClient;
let stranger: ApiClient;

type Result = ReplyOf<'getExportSegment'>;

const resultOf = (id: string): Promise<Result> => world.call('getExportSegment', { task_id: id });

const run = async (parameters: Parameters, client = world.client): Promise<Result & { readonly id: string }> => {
  const { task_id: id } = await client.call('exportSegment', parameters);
  await world.settle(60_000);
  return { id, ...(await resultOf(id)) };
};

/** Sent to the world's address in place of the link's host. */
const follow = (link: string): Promise<Response> => {
  const { pathname, search } = new URL(link);
  return fetch(new URL(pathname + search, world.url));
};
const download = async (link: string): Promise<Unzipped> =>
  unzipped(Buffer.from(await (await follow(link)).arrayBuffer()));
const exported = async (parameters: Parameters): Promise<string> =>
  (await download((await run(parameters)).filename)).text;
/** Sorted: the order of devices is not guaranteed. */
const linesOf = (text: string): string[] => {
  const [head, ...devices] = text.split('\r\n').slice(0, -1);
  return [head!, ...devices.toSorted()];
};

beforeAll(async () => {
  world = await platform();
  application = await world.application();
  sibling = await world.application({ title: 'Sibling', ios: false, android: false });
  await world.call('addTag', { tag: { name: 'Level', type: 1, application_specific: true } });
  await world.call('addTag', { tag: { name: 'Interests', type: 3, application_specific: true } });
  await world.call('addTag', { tag: { name: 'Name', type: 2, application_specific: true } });
  const devices = [
    { hwid: 'phone-0', device_type: 1, push_token: IOS_TOKEN, tags: { Level: 0, Interests: ['news', 'sport'] } },
    { hwid: 'phone-1', device_type: 3, push_token: 'token-1', userId: 'Ann', tags: { Level: 1, Name: 'Ann "A", B' } },
    { hwid: 'phone-2', device_type: 3, language: 'de', tags: { Level: 2 } },
  ];
  for (const device of devices) await world.call('registerDevice', { application, ...device });
  await world.call('registerDevice', { application: sibling, hwid: 'sibling', device_type: 3 });
  const { account } = await world.call('createAccount', { name: 'Other' });
  stranger = await clientWith(world, { applications: 'all', account });
  restricted = await clientWith(world, { applications: [application] });
});
afterAll(async () => {
  restricted?.close();
  stranger?.close();
  await world?.stop();
});

describe('exportSegment', () => {
  it('writes the devices of a segment as CSV into an archive', async () => {
    const { id, filename, ...result } = await run({ filterExpression: `A("${application}")` });
    expect(id).toMatch(/^\d{1,16}$/);
    expect(result).toEqual({ status: 'completed', progress: 100, devices_count: 3, csv_filename: filename });
    const { pathname } = new URL(filename);
    expect(pathname).toMatch(new RegExp(`^/exports/export_segment_${application}_\\d+\\.csv\\.zip$`));
    const answer = await follow(filename);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    const archive = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-length')).toBe(String(archive.length));
    const { name, text } = await unzipped(archive);
    expect(`/exports/${name}.zip`).toBe(pathname);

    const [head, ...devices] = linesOf(text);
    const { tags } = await world.call('listTags');
    const names = tags.map((tag) => tag.name).toSorted((a, b) => (a < b ? -1 : 1));
    expect(head).toBe(['Hwid', 'User ID', 'Push Token', 'Type', 'Type (humanized)', ...names].join(','));
    expect(devices.map((line) => line.split(',').slice(0, 5))).toEqual([
      ['phone-0', 'phone-0', IOS_TOKEN.toLowerCase(), '1', 'iOS'],
      ['phone-1', 'Ann', 'token-1', '3', 'Android'],
      ['phone-2', 'phone-2', '', '3', 'Android'],
    ]);
    expect(devices[0]).toContain('"news,sport"');
    expect(devices[1]).toContain('"Ann ""A"", B"');
  });

  it('writes JSON lines with the requested fields only', async () => {
    const filterExpression = `A("${application}") * T("Level", GTE, 1)`;
    const text = await exported({ filterExpression, format: 'JSON', exportData: ['users', 'tags'] });
    const devices = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .toSorted((one, other) => (String(one['user_id']) < String(other['user_id']) ? -1 : 1));
    const android = { type: 3, type_humanized: 'Android' };
    expect(devices).toMatchObject([
      { user_id: 'Ann', ...android, tags: { Level: 1, Name: 'Ann "A", B', 'Push Alerts Enabled': true } },
      { user_id: 'phone-2', ...android, tags: { Level: 2, Language: 'de' } },
    ]);
    for (const device of devices) {
      expect(Object.keys(device)).toEqual(['user_id', 'type', 'type_humanized', 'tags']);
    }
    const hwids = await exported({ filterExpression, format: 'csv', exportData: ['hwids'] });
    expect(linesOf(hwids)).toEqual(['Hwid,Type,Type (humanized)', 'phone-1,3,Android', 'phone-2,3,Android']);
  });

  it('escapes formulas with csv_escape', async () => {
    await world.call('setTags', { application, hwid: 'phone-1', tags: { Name: '=1+1' } });
    const request = { filterExpression: `A("${application}") * T("Name", EQ, "=1+1")`, exportData: ['tags'] };
    expect(await exported({ ...request, csv_escape: true })).toContain(`,'=1+1,`);
    expect(await exported(request)).toContain(',=1+1,');
  });

  it('counts devices and writes nothing with exportCsv false', async () => {
    const { id: _id, ...result } = await run({ filterExpression: `A("${application}", [android])`, exportCsv: false });
    expect(result).toEqual({ status: 'completed', progress: 100, devices_count: 2, filename: '', csv_filename: '' });
  });

  it('takes a filter instead of an expression, and completes for an empty segment', async () => {
    await world.call('createFilter', { name: 'Beginners', filter_expression: 'T("Level", EQ, 0)' });
    const { filters } = await world.call('listFilters', { application });
    const { code } = filters.find(({ name }) => name === 'Beginners')!;
    const byFilter = { filterCode: code.toLowerCase(), exportData: ['hwids'] };
    expect(linesOf(await exported(byFilter)).slice(1)).toEqual(['phone-0,1,iOS']);
    const { devices_count: count, filename } = await run({
      filterExpression: `A("${application}") * T("Level", EQ, 9)`,
    });
    expect(count).toBe(0);
    expect(linesOf((await download(filename)).text)).toHaveLength(1);
  });

  it('covers every application that the token may use', async () => {
    const hwids = { filterExpression: 'T("Level", NOTEQ, 0)', exportData: ['hwids'] };
    const { filename, devices_count: count } = await run(hwids);
    expect(filename).toContain('/exports/export_segment_ALL_');
    expect(count).toBe(3);
    expect(linesOf((await download(filename)).text)).toContain('sibling,3,Android');
    expect(await run(hwids, restricted)).toMatchObject({ devices_count: 2 });
  });

  it.each<[string, Parameters, string]>([
    ['no selection', {}, 'filterExpression is required'],
    ['an invalid expression', { filterExpression: 'A(' }, 'filterExpression: unexpected end at position 2'],
    ['an unknown tag', { filterExpression: 'T("None", EQ, 1)' }, 'filterExpression: unknown tag "None"'],
    ['an unknown filter', { filterCode: '00000-00000' }, 'filterCode: not found'],
    ['an unknown format', { filterExpression: 'x', format: 'xml' }, 'format: must be one of csv, json'],
    ['data that is not a list', { filterExpression: 'x', exportData: 'tags' }, 'exportData: must be an array'],
    [
      'unknown data',
      { filterExpression: 'x', exportData: ['tags', 'names'] },
      'exportData[1]: must be one of hwids, push_tokens, users, tags',
    ],
    ['a switch that is none', { filterExpression: 'x', exportCsv: 'yes' }, 'exportCsv: must be a boolean'],
  ])('is refused with %s', async (_title, parameters, message) => {
    expect(await world.reply('exportSegment', parameters)).toMatchObject({ status: 400, body: { message } });
  });

  it('requires a token with access', async () => {
    const forbidden = { status: 403, body: { message: FORBID } };
    expect(await world.reply('exportSegment', { auth: 'nobody', filterExpression: 'x' })).toMatchObject(forbidden);
    const others = { filterExpression: `A("${sibling}")` };
    expect(await restricted.reply('exportSegment', others)).toMatchObject(forbidden);
    expect(await stranger.reply('exportSegment', others)).toMatchObject({ status: 400 });
  });
});

describe('the result of an export', () => {
  it('is available to every caller with its id, unless the call has a wrong token', async () => {
    const { id } = await run({ filterExpression: `A("${application}")` });
    const unknown = { status: 404, body: { message: 'Task not found' } };
    // The official client reads the id as an integer, and may send it as one (R-N7).
    expect(id).toMatch(/^\d+$/);
    expect(Number.isSafeInteger(Number(id))).toBe(true);
    expect(await world.reply('getExportSegment', { task_id: Number(id) })).toMatchObject({ status: 200 });
    expect(await world.reply('getExportSegment', { task_id: id, auth: world.secrets.api })).toMatchObject({
      status: 200,
    });
    expect(await world.reply('getExportSegment', { task_id: id, auth: 'wrong' })).toMatchObject({ status: 403 });
    expect(await stranger.reply('getExportSegment', { task_id: id })).toMatchObject({ status: 200 });
    const { token } = await world.call('createToken', {
      scope: 'api',
      applications: 'all',
      account: (await world.call('createAccount', { name: 'Third' })).account,
    });
    expect(await world.reply('getExportSegment', { task_id: id, auth: token })).toMatchObject(unknown);
    expect(await world.reply('getExportSegment', { task_id: 'no-task' })).toMatchObject(unknown);
    expect(await world.reply('getExportSegment')).toMatchObject({
      status: 400,
      body: { message: 'task_id is required' },
    });
    const bulk = await world.client.http.send(`/api/v2/audience/bulkSetTags/${id}`);
    expect(bulk).toMatchObject({ status: 404, body: { message: 'Request not found' } });
  });

  it('links to the archive for 24 hours only', async () => {
    const { id, filename } = await run({ filterExpression: `A("${application}")` });
    const refused = async (link: string): Promise<void> => {
      const answer = await follow(link);
      expect(answer.status).toBe(403);
      expect(await answer.json()).toEqual({ code: 7, message: 'The link has expired or is not valid', details: [] });
    };
    const sig = new URL(filename).searchParams.get('sig')!;
    const altered = sig.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    await refused(filename.replace(sig, altered));
    await refused(filename.replace(sig, ''));
    await refused(filename.replace(/exp=\d+/, (exp) => `${exp}0`));
    await refused(filename.replace('export_segment', 'export-segment'));
    await refused(filename.replace(application, sibling));
    await refused(filename.split('?')[0]!);
    expect((await follow(filename)).status).toBe(200);

    await world.advance(DAY_S + 1);
    await refused(filename);
    const { filename: renewed } = await resultOf(id);
    expect((await follow(renewed)).status).toBe(200);
    await world.advance(6 * DAY_S - HOUR_S);
    const { filename: last } = await resultOf(id);
    await world.advance(2 * HOUR_S);
    expect(await world.reply('getExportSegment', { task_id: id })).toMatchObject({ status: 404 });
    await refused(last);
  });
});

describe('an erased device', () => {
  it('is in no later export (T15)', async () => {
    const CANARY = 'canary-7f3a91';
    const own = await world.application({ title: 'Erasing', ios: false, android: false });
    const planted = { push_token: `${CANARY}-token`, userId: `${CANARY}-user`, tags: { Name: `${CANARY}-name` } };
    await world.call('registerDevice', { application: own, hwid: 'stays', device_type: 3 });
    await world.call('registerDevice', { application: own, hwid: `${CANARY}-hwid`, device_type: 3, ...planted });
    const before = await exported({ filterExpression: `A("${own}")` });
    for (const field of ['hwid', 'user', 'token', 'name']) expect(before).toContain(`${CANARY}-${field}`);
    await world.call('deleteDevice', { application: own, hwid: `${CANARY}-hwid` });
    const after = await exported({ filterExpression: `A("${own}")` });
    expect(after).toContain('stays');
    expect(after).not.toContain(CANARY);
  });
});
