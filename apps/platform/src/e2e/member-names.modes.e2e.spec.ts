import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Parameters, platform, type PlatformWorld, unzipped } from '@tidings/testing';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

const valueOf = (name: string): string => `value of ${name}`;
const tokenOf = (hwid: string): string => `token-of-${hwid}`;
const members = <Value>(of: (name: string) => Value): Record<string, Value> =>
  Object.fromEntries(NAMES.map((name) => [name, of(name)]));
const values = members(valueOf);

let world: PlatformWorld;
let application: string;

const shown = (object: unknown) =>
  NAMES.map((name) => [name, Object.getOwnPropertyDescriptor(object, name)?.value as unknown]);

const tagsOf = async (of: Parameters) => (await world.call('getTags', { application, ...of })).result;
const register = (hwid: string, more: Parameters = {}) =>
  world.call('registerDevice', { application, hwid, device_type: 3, push_token: tokenOf(hwid), ...more });

async function exported(format: string): Promise<string> {
  const { task_id: id } = await world.call('exportSegment', {
    filterExpression: `A("${application}") * T("__proto__", EQ, "${valueOf('__proto__')}")`,
    format,
    exportData: ['hwids', 'tags'],
  });
  await world.settle(60_000);
  const { filename } = await world.call('getExportSegment', { task_id: id });
  const { pathname, search } = new URL(filename);
  const archive = await fetch(new URL(pathname + search, world.url));
  return (await unzipped(Buffer.from(await archive.arrayBuffer()))).text;
}

beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  application = await world.application({ ios: false });
  for (const name of NAMES) await world.call('addTag', { tag: { name, type: 2, application_specific: true } });
  await world.call('setDebug', { code: application });
});
afterAll(() => world?.stop());

describe('tags named like members of every object', () => {
  it('are returned by device and by user as they were registered and set', async () => {
    await register('registered', { tags: values, userId: 'person' });
    await register('set');
    await world.call('setTags', { application, hwid: 'set', tags: values });
    for (const identity of [{ hwid: 'registered' }, { hwid: 'set' }, { userId: 'person' }])
      expect(shown(await tagsOf(identity))).toEqual(shown(values));
  });

  it('are set by bulk requests, whose results name each of them', async () => {
    await register('bulk');
    const wrong = members((name) => (name === 'constructor' ? { a: 1 } : valueOf(name)));
    const { request_id: id } = await world.call('bulkSetTags', {
      application,
      devices: [
        { hwid: 'bulk', tags: values },
        { hwid: 'bulk', tags: wrong },
      ],
    });
    await world.settle(60_000);
    const { devices } = await world.call('getBulkSetTags', { request_id: id, detailed: true });
    const outcome = (name: string): string => (name === 'constructor' ? 'wrong value: string expected' : 'ok');
    expect(devices!.map(({ tags }) => shown(tags))).toEqual([shown(members(() => 'ok')), shown(members(outcome))]);
    expect(shown(await tagsOf({ hwid: 'bulk' }))).toEqual(shown(values));
  });

  it('report unknown names of bulk requests', async () => {
    await register('unknown');
    const tags = JSON.parse('{"__proto__":1,"isPrototypeOf":1}') as Parameters;
    const entry = { hwid: 'unknown', tags: { isPrototypeOf: 1, propertyIsEnumerable: 1 } };
    const { request_id: id } = await world.call('bulkSetTags', { application, devices: [entry, { ...entry, tags }] });
    await world.settle(60_000);
    const { devices } = await world.call('getBulkSetTags', { request_id: id, detailed: true });
    const missing = 'tag not found';
    expect(devices!.map(({ tags: of }) => of['isPrototypeOf'])).toEqual([missing, missing]);
    expect(Object.getOwnPropertyDescriptor(devices![1]!.tags, '__proto__')?.value).toBe('ok');
  });

  it('are exported in both formats', async () => {
    await register('exported', { tags: values });
    const [head, ...lines] = (await exported('csv')).split('\r\n');
    const columns = head!.split(',');
    const line = lines.find((each) => each.startsWith('exported,'))!.split(',');
    expect(NAMES.map((name) => line[columns.indexOf(name)])).toEqual(NAMES.map(valueOf));
    const [json] = (await exported('json')).split('\n').filter((each) => each.includes('"exported"'));
    expect(shown((JSON.parse(json!) as { tags: unknown }).tags)).toEqual(shown(values));
  });
});

describe('members named like those of every object', () => {
  const pushOf = async (hwid: string, notification: Parameters): Promise<Record<string, string>> => {
    await world.call('createMessage', { application, notifications: [{ devices: [hwid], ...notification }] });
    await world.settle(60_000);
    const [push] = world.simulators.ledger.of('fcm').entries({ token: tokenOf(hwid), limit: Infinity });
    return (JSON.parse(push!.payload!) as { message: { data: Record<string, string> } }).message.data;
  };

  it('reach the device in data and in root params', async () => {
    await register('data');
    const data = await pushOf('data', { content: 'x', data: values, android_root_params: values });
    expect(shown(JSON.parse(data['u']!))).toEqual(shown(values));
    expect(shown(data)).toEqual(shown(values));
  });

  it('fill placeholders, from tags and from bindings', async () => {
    await register('filled', { tags: values });
    const content = NAMES.map((name) => `{{${name}}}`).join(';');
    expect((await pushOf('filled', { content }))['title']).toBe(NAMES.map(valueOf).join(';'));
  });

  it('are kept as languages of texts', async () => {
    await register('spoken');
    const { Messages: messages } = await world.call('createMessage', {
      application,
      notifications: [{ devices: ['spoken'], content: { ...values, en: 'English' } }],
    });
    await world.settle(60_000);
    const filters = { application, messages_codes: messages };
    const { items } = await world.call('messagesList', { filters, params: { with_details: true } });
    const languages = NAMES.map((name) => [name, name === name.toLowerCase() ? valueOf(name) : undefined]);
    expect(shown(items[0]!.push_info!.details!.content)).toEqual(languages);
  });
});
