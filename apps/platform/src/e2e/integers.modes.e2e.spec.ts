import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jsonInteger } from '@tidings/kernel';
import { type Parameters, platform, type PlatformWorld, unzipped } from '@tidings/testing';

const TWO_53 = 2n ** 53n;
const LAST = 2n ** 63n - 1n;
const FIRST = -(2n ** 63n);
const WRONG = 'tags.Serial: wrong value: integer expected';

let world: PlatformWorld;
let application: string;

/** Adjacent integers that are equal as doubles, and small numbers. */
const serials = {
  'at-2-53': TWO_53,
  'after-2-53': TWO_53 + 1n,
  'below-last': LAST - 1n,
  last: LAST,
  first: FIRST,
  'small-5': 5n,
};

const tokenOf = (hwid: string): string => `token-of-${hwid}`;
const setSerial = (hwid: string, value: unknown) =>
  world.reply('setTags', { application, hwid, tags: { Serial: value } });

/** JSON.parse would round. */
async function textOf(method: string, parameters: Parameters): Promise<string> {
  const reply = await fetch(new URL(`/json/1.3/${method}`, world.url), {
    method: 'POST',
    headers: { authorization: `Token ${world.secrets.device}` },
    body: JSON.stringify({ request: { application, ...parameters } }),
  });
  return reply.text();
}
const serialOf = async (hwid: string): Promise<string | undefined> =>
  /"Serial":(-?\d+)[,}]/.exec(await textOf('getTags', { hwid }))?.[1];

beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  application = await world.application({ ios: false });
  await world.call('addTag', { tag: { name: 'Serial', type: 1, application_specific: true } });
  for (const [hwid, value] of Object.entries(serials)) {
    const tags = { Serial: jsonInteger(value) };
    await world.call('registerDevice', { application, hwid, device_type: 3, push_token: tokenOf(hwid), tags });
  }
});
afterAll(() => world?.stop());

describe('integers of 64 bits (R-RES8)', () => {
  it('are returned as they were registered', async () => {
    for (const [hwid, value] of Object.entries(serials)) expect(await serialOf(hwid)).toBe(String(value));
  });

  it('are counted exactly, across 2^53, and refused beyond their limits', async () => {
    await world.call('registerDevice', { application, hwid: 'counter', device_type: 3 });
    const increment = (value: bigint) => setSerial('counter', { operation: 'increment', value: jsonInteger(value) });
    await setSerial('counter', jsonInteger(TWO_53 - 1n));
    for (const by of [1n, 1n, 1n]) await increment(by);
    expect(await serialOf('counter')).toBe(String(TWO_53 + 2n));
    await increment(-3n);
    expect(await serialOf('counter')).toBe(String(TWO_53 - 1n));
    await increment(LAST - TWO_53);
    await increment(1n);
    expect(await serialOf('counter')).toBe(String(LAST));
    const refused = { status: 200, body: { status_code: 210, status_message: WRONG, response: null } };
    expect(await increment(1n)).toMatchObject(refused);
    expect(await setSerial('counter', jsonInteger(LAST + 1n))).toMatchObject(refused);
    expect(await setSerial('counter', jsonInteger(FIRST - 1n))).toMatchObject(refused);
    expect(await setSerial('counter', String(LAST + 1n))).toMatchObject(refused);
    expect(await serialOf('counter')).toBe(String(LAST));
    await setSerial('counter', { operation: 'remove', value: jsonInteger(LAST - 1n) });
    expect(await serialOf('counter')).toBe(String(LAST));
    await setSerial('counter', { operation: 'remove', value: jsonInteger(LAST) });
    expect(await serialOf('counter')).toBeUndefined();
  });

  it.each([
    [`EQ, ${TWO_53 + 1n}`, ['after-2-53']],
    [`IN, [${TWO_53}, ${LAST}]`, ['at-2-53', 'last']],
    [`NOTIN, [${TWO_53}, ${LAST}, 5]`, ['after-2-53', 'below-last', 'first']],
    [`GTE, ${LAST}`, ['last']],
    [`LTE, ${FIRST}`, ['first']],
    [`BETWEEN, [6, ${TWO_53}]`, ['at-2-53']],
    [`BETWEEN, [${TWO_53 + 1n}, ${LAST - 1n}]`, ['after-2-53', 'below-last']],
  ])('are distinguished by segments: %s', async (condition, expected) => {
    const here = Object.keys(serials);
    const filterExpression = `A("${application}") * T("Serial", ${condition})`;
    const { task_id: id } = await world.call('exportSegment', { filterExpression, exportData: ['hwids', 'tags'] });
    await world.settle(60_000);
    const { filename } = await world.call('getExportSegment', { task_id: id });
    const { pathname, search } = new URL(filename);
    const archive = await fetch(new URL(pathname + search, world.url));
    const { text } = await unzipped(Buffer.from(await archive.arrayBuffer()));
    const [, ...lines] = text.split('\r\n').slice(0, -1);
    const found = lines.filter((line) => here.includes(line.split(',')[0]!)).toSorted();
    expect(found.map((line) => line.split(',')[0])).toEqual(expected.toSorted());
    for (const line of found) {
      const hwid = line.split(',')[0] as keyof typeof serials;
      expect(line.split(',')).toContain(String(serials[hwid]));
    }
  });

  it('select the devices of a message, and appear in its text in full', async () => {
    await world.call('setDebug', { code: application });
    const { Messages: messages } = await world.call('createMessage', {
      application,
      notifications: [
        { content: 'Number {{Serial}}', conditions: [['Serial', 'IN', [jsonInteger(TWO_53 + 1n), jsonInteger(LAST)]]] },
      ],
    });
    await world.settle(60_000);
    const pushes = world.simulators.ledger.of('fcm').entries({ limit: Infinity });
    expect(pushes.map(({ token }) => token).toSorted()).toEqual(['after-2-53', 'last'].map(tokenOf));
    for (const { token, payload } of pushes) {
      const hwid = token.slice(tokenOf('').length) as keyof typeof serials;
      expect(payload).toContain(`Number ${serials[hwid]}`);
    }
    const listed = await fetch(new URL('/api/v2/messages:list', world.url), {
      method: 'POST',
      headers: { authorization: `Api ${world.secrets.api}` },
      body: JSON.stringify({ filters: { application, messages_codes: messages }, params: { with_details: true } }),
    });
    expect(await listed.text()).toContain(`"conditions":[["Serial","IN",[${TWO_53 + 1n},${LAST}]]]`);
  });

  it('keep all digits in String and List tags, however many they are', async () => {
    const long = '123456789012345678901234567890';
    for (const [name, type] of [
      ['Name', 2],
      ['Names', 3],
    ] as const)
      await world.call('addTag', { tag: { name, type, application_specific: true } });
    const tags = { Name: jsonInteger(BigInt(long)), Names: [jsonInteger(-BigInt(long))] };
    await world.call('setTags', { application, hwid: 'last', tags });
    const { result } = await world.call('getTags', { application, hwid: 'last' });
    expect(result).toMatchObject({ Name: long, Names: [`-${long}`] });
  });

  it('create Integer tags in a bulk request, while texts create String tags', async () => {
    const devices = [{ hwid: 'small-5', tags: { Long: jsonInteger(TWO_53 + 1n), Text: String(TWO_53 + 1n) } }];
    await world.call('bulkSetTags', { application, devices, create_missing_tags: true });
    await world.settle(60_000);
    const { tags } = await world.call('listTags');
    const typeOf = (name: string) => tags.find((tag) => tag.name === name)?.type;
    expect([typeOf('Long'), typeOf('Text')]).toEqual([1, 2]);
    expect(await textOf('getTags', { hwid: 'small-5' })).toMatch(
      new RegExp(`"Text":"${TWO_53 + 1n}".*"Long":${TWO_53 + 1n}[,}]`),
    );
  });
});
