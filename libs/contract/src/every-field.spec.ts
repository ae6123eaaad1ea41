import { isDeepStrictEqual } from 'node:util';
import { Fault } from '@tidings/kernel';
import { z } from 'zod';
import { api } from './api.ts';
import { dotted } from './issue.ts';
import type { Method, Request } from './method.ts';
import { inner, shapeFor } from './presence.ts';
import { changed, fieldsIn, type Path } from './testing/request-fields.ts';
import { isObject } from './values.ts';

/** Each field must change the parsed input for some pair of values, or be listed here with its reason. */
const ignored: Readonly<Record<string, string>> = {
  'configureApplication device_type': 'says which fields the others are: another value makes it another request',
  'configureApplication ios_key_management_type': 'has one value',
  'configureApplication macos_key_management_type': 'has one value',
  'configureApplication safari_key_management_type': 'has one value',
  'notify transactional.test_devices': 'has one value that says anything: true, beside no other recipients',
  'registerEmail device_type': 'has one value',
};

/** Fields that examples show and no contract knows. */
const unknown: Readonly<Record<string, string>> = {
  'getConfig features': 'a client names the features that it would know; it is told all that there are (R-X1)',
  'getInApps hwid': 'there are no in-apps for any device (R-X1)',
  'pageVisit hwid': 'nothing is kept of the call (R-X1)',
  'richMediaAction hwid': 'nothing is kept of the call (R-X1)',
  'triggerInAppAction hwid': 'nothing is kept of the call (R-X1)',
};

const png = (side: number): string => {
  const bytes = Buffer.alloc(24);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(bytes);
  bytes.writeUInt32BE(side, 16);
  bytes.writeUInt32BE(side, 20);
  return bytes.toString('base64');
};

const values: readonly unknown[] = [
  ...[null, true, false, 0, 1, 2, 3, 5, 7, 11, 12, 14, 50, 100, 200, 500, 1_768_478_400],
  ...[
    'a',
    'bb',
    'de',
    'AA==',
    'BB==',
    'append',
    'remove',
    'csv',
    'json',
    'now',
    'OR',
    'AND',
    'a@example.com',
    'b@example.com',
  ],
  ...['+4915112345678', '+4915112345679', '2026-01-15', '2026-01-16', '2026-01-15 12:00', 'europe/berlin', '#ff0000'],
  ...[
    '{"a":1}',
    'marketing',
    'transactional',
    'normal',
    'high',
    'passive',
    'active',
    'url',
    'openApp',
    'pw',
    'corona',
    'phonegap',
  ],
  ...[
    'enable',
    'disable',
    'IOS',
    'API',
    'CP',
    'BROADCAST',
    'ALL',
    'https://%@',
    'https://a/%@',
    'ms-app://a',
    'ms-app://b',
  ],
  ...[
    'native',
    'unity',
    'adobeAir',
    'manual',
    'A1B2C-3D4E5',
    'T("a", EQ, 1)',
    'https://a.example/b',
    'grpc://a:1',
    'grpc://b:1',
  ],
  ...[png(64), png(256), `${png(256)}AAAA`, 'ios_push_certificate', 'safari_push_package', 'api', 'device'],
  ...['decode', 'handler', 'open', 'redriven'],
  ...[
    [],
    ['a'],
    ['b'],
    [1],
    [3],
    ['IOS'],
    ['EMAIL'],
    ['+4915112345678'],
    ['+4915112345679'],
    ['kakao:01012345678'],
    ['kakao:01012345679'],
    ['hwids'],
    ['tags'],
    [['a', 'EQ', 1]],
    ['Push Sent'],
    ['Push Opened'],
    ['a@example.com'],
  ],
  ...[
    {},
    { a: 1 },
    { b: 2 },
    { en: 'a' },
    { 0: 'a' },
    { text: 'a' },
    { type: 'service_account', project_id: 'p', private_key: 'k', client_email: 'e' },
  ],
  ...['2026-01-15T12:00:00Z', '2026-01-16T12:00:00Z', '5s', '6s', 'NEXT_DAY', 'MESSAGE_TYPE_TRANSACTIONAL'],
  ...['MESSAGE_TYPE_MARKETING', { code: 'A1B2C-3D4E5' }, { code: 'B1B2C-3D4E5' }, { list: ['a'] }, { list: ['b'] }],
  ...[
    { url: 'https://a.example/b' },
    { url: 'https://a.example/c' },
    { body: 'a' },
    { template: 'A1B2C-3D4E5', content: 'a' },
    { en: { image: { image_url: 'https://a.example/b' } } },
  ],
  ...[{ de: { ios: { body: 'a' } } }, { de: { ios: { body: 'b' } } }, { conditions: [{ segment: { code: 'a' } }] }],
  ...[{ conditions: [{ segment: { code: 'b' } }] }, { days: 7, count: 3 }, { days: 1, count: 1 }],
  ...[
    { value: 100 },
    { value: 200 },
    '1s',
    'update',
    'end',
    '-----BEGIN PRIVATE KEY-----\nAA==',
    'statistics',
    'conversions',
  ],
  ...[{ type: 'service_account', project_id: 'q', private_key: 'k', client_email: 'e' }],
  ...['a'.repeat(64), 'b'.repeat(64)],
  ...['1.a', '2.a', 'blacklist', 'complaint', 'bulkSetTags', 'exportSegment'],
];

/** A refusal that names another field shows an effect. */
const isElsewhere = (text: string, path: Path): boolean =>
  /must be set$/.test(text) && !text.includes(String(path.at(-1)));

function isUsed(method: Method, request: Request, path: Path): boolean {
  const inputs: unknown[] = [];
  for (const value of [undefined, ...values]) {
    const given = changed(request, path, value);
    if (method.missing(given)) continue;
    try {
      inputs.push(method.parse(given));
      if (!isDeepStrictEqual(inputs[0], inputs.at(-1))) return true;
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      if (/must not be used with \w+$/.test(thrown.message) || isElsewhere(thrown.message, path)) return true;
    }
  }
  return false;
}

function isOutranked(method: Method, request: Request, path: Path, first: Set<string>): boolean {
  const [parent, last] = [path.slice(0, -1), path.at(-1)];
  const neighbours = Object.keys(valueAt(request, parent) as object).toSorted(
    (one, other) => Number(first.has(other)) - Number(first.has(one)),
  );
  for (const key of neighbours) {
    if (key === last || !isUsed(method, changed(request, [...parent, key], undefined), path)) continue;
    first.add(key);
    return true;
  }
  return false;
}

function holdsFields(schema: unknown): boolean {
  const taken = inner(schema);
  return taken instanceof z.ZodArray ? holdsFields(taken.element) : taken instanceof z.ZodObject;
}

const valueAt = (request: Request, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], request);

const isGiven = (request: Request, path: Path): boolean => (valueAt(request, path) ?? undefined) !== undefined;

function fieldAt(schema: unknown, request: Request, path: Path): unknown {
  let field: unknown = schema;
  path.forEach((key, depth) => {
    const taken = inner(field);
    field =
      taken instanceof z.ZodArray ? taken.element : shapeFor(field, valueAt(request, path.slice(0, depth)))?.[key];
  });
  return field;
}

function usedFieldsOf(method: Method): Map<string, boolean> {
  const used = new Map<string, boolean>();
  const fields = method.examples.flatMap(({ request }) =>
    fieldsIn(method.input, request).map((path) => ({ request, path, name: dotted(path) })),
  );
  for (const { request, path, name } of fields) {
    // An object is heard by its fields, once an example has room for them.
    const isHolder = holdsFields(fieldAt(method.input, request, path)) && isGiven(request, path);
    if (!used.get(name)) used.set(name, isHolder || isUsed(method, request, path));
  }
  // Last, because it is many times as much work.
  const first = new Set<string>();
  for (const { request, path, name } of fields) {
    if (!used.get(name)) used.set(name, isOutranked(method, request, path, first));
  }
  return used;
}

function unknownIn(schema: unknown, value: unknown, path: Path = []): string[] {
  const taken = inner(schema);
  if (taken instanceof z.ZodArray) {
    return Array.isArray(value) ? value.flatMap((each) => unknownIn(taken.element, each, [...path, 0])) : [];
  }
  const shape = shapeFor(schema, value);
  if (!shape || !isObject(value)) return [];
  return Object.entries(value).flatMap(([key, given]) => {
    if (key in shape) return unknownIn(shape[key], given, [...path, key]);
    return path.length === 0 && key === 'auth' ? [] : [dotted([...path, key])];
  });
}

const methods = Object.values<Method>(api);

const reasonsFor = (name: string, reasons: Readonly<Record<string, string>>): string[] =>
  Object.keys(reasons)
    .filter((field) => field.startsWith(`${name} `))
    .toSorted();

describe.each(methods.map((method) => [method.name, method] as const))('every field of %s', (name, method) => {
  it('has an effect, or a reason why it has none', () => {
    const without = [...usedFieldsOf(method)].flatMap(([field, used]) => (used ? [] : [`${name} ${field}`]));
    expect(without.toSorted()).toEqual(reasonsFor(name, ignored));
  });

  it('is known to the contract if an example has it, or has a reason why not', () => {
    const fields = new Set(method.examples.flatMap(({ request }) => unknownIn(method.input, request)));
    expect([...fields].map((field) => `${name} ${field}`).toSorted()).toEqual(reasonsFor(name, unknown));
  });
});

const phone = { application: 'A1B2C-3D4E5', hwid: 'phone-1', device_type: 3 };
const preset = {
  ...api.createPreset.examples[0]!.request,
  content: { message: 'x', action: { type: 'openApp', options: {} } },
};
const notify = (more: Request): Request => ({ application: 'A1B2C-3D4E5', notifications: [{ content: 'x', ...more }] });
const circle = { lat: 1, lng: 1, range: 50 };
const content = ['content', 'action', 'options'];

/** Fields that have an effect, but none beside others: each with its reason. */
const outranked: readonly (readonly [Method, Request, Path, unknown, string])[] = [
  [api.registerDevice, phone, ['email'], 'a@example.com', 'it is the address of contacts of mail (R-C1)'],
  [api.setBadge, { ...phone, badge: 1 }, ['badges'], 2, 'badge prevails'],
  [api.createPreset, preset, [...content, 'url'], 'https://a.example', 'only url and deepLink open one (R-K1)'],
  [api.createPreset, preset, [...content, 'richMediaCode'], 'X', 'only richMedia shows one (R-K1)'],
  ...(['users', 'devices'] as const).flatMap((list) =>
    [
      ['to', ['a']],
      ['geozone', circle],
      ['filter', 'vip'],
      ['filter_code', 'A1B2C-3D4E5'],
      ['conditions', [['a', 'EQ', 1]]],
      ['conditions_operator', 'OR'],
    ].map(([field, value]) => {
      const path = ['notifications', 0, field as string];
      return [api.createMessage, notify({ [list]: ['a'] }), path, value, `${list} are who is meant (R-I3)`] as const;
    }),
  ),
  [
    api.createMessage,
    notify({ devices: ['a'] }),
    ['notifications', 0, 'platforms'],
    [3],
    'fewer than 10 devices (R-I5)',
  ],
  [api.createMessage, notify({}), ['notifications', 0, 'timezone'], 'Europe/Berlin', 'now is now everywhere (R-I8)'],
  [api.createMessage, notify({}), ['notifications', 0, 'ignore_user_timezone'], false, 'now is now everywhere (R-I9)'],
];

it.each(outranked.map(([method, ...rest]) => [method.name, dotted(rest[1]), rest[3], method, rest] as const))(
  '%s ignores %s: %s',
  (_name, _field, _reason, method, [request, path, value]) => {
    expect(method.parse(changed(request, path, value))).toEqual(method.parse(request));
  },
);
