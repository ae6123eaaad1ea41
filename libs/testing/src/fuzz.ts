/** Clients send these by mistake or on purpose. */
const ODDITIES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e21, -0, 2 ** 53, '', ' ', '0', 'null', 'NaN', '1e999', '-9223372036854775809'],
  ...[
    [],
    {},
    [[]],
    [null],
    [{}],
    { '': null },
    { $gt: '' },
    { $where: '1' },
    { __proto__: null, constructor: { prototype: 1 } },
  ],
  ...[
    '\u0000',
    '\uD800',
    '\u202Egnp',
    '💥'.repeat(300),
    'a'.repeat(70_000),
    '../../etc/passwd',
    "'; drop --",
    '{{1}}',
    '${7*7}',
  ],
  ...[
    '2026-02-30',
    '9999-99-99 99:99',
    'now',
    '$tidings',
    '*',
    '{"a":1}',
    'A'.repeat(22),
    'http://[::1',
    'mailto:',
    '%',
    '%00',
  ],
  ...[
    Array.from({ length: 1_500 }, (_, i) => i),
    Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])),
  ],
];

const BROKEN: readonly string[] = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '\uFEFF{}',
  '{"request":[]}',
  '{"request":null}',
  '['.repeat(200),
  '{"a":'.repeat(200),
];

/** From 0 to below 1. */
export type Draw = () => number;

const pick = <T>(draw: Draw, from: readonly T[]): T => from[Math.floor(draw() * from.length)]!;

/** One to three members, at any depth, removed, replaced, duplicated or added. */
export function mutated(request: unknown, draw: Draw): unknown {
  const copy = structuredClone(request);
  for (let n = 1 + Math.floor(3 * draw()); n > 0; n--) mutate(copy, draw);
  return copy;
}

function mutate(node: unknown, draw: Draw): void {
  if (typeof node !== 'object' || node === null) return;
  const members = node as Record<string, unknown>;
  const key = pick(draw, Object.keys(members));
  if (key === undefined || draw() < 0.1) {
    members[pick(draw, ['x', 'auth', 'application', 'hwid', '0'])] = structuredClone(pick(draw, ODDITIES));
    return;
  }
  const value = members[key];
  if (typeof value === 'object' && value !== null && draw() < 0.6) return mutate(value, draw);
  const kind = draw();
  if (kind < 0.2) delete members[key];
  else if (kind < 0.3) members[key] = [value, value];
  else if (kind < 0.4) members[key] = { value };
  else if (kind < 0.5 && typeof value === 'string') members[key] = value.slice(0, Math.floor(draw() * value.length));
  else members[key] = structuredClone(pick(draw, ODDITIES));
}

export function bodyOf(request: unknown, draw: Draw): string {
  const text = JSON.stringify(request) ?? '';
  const kind = draw();
  if (kind < 0.03) return pick(draw, BROKEN);
  if (kind < 0.06) return text.slice(0, Math.floor(draw() * text.length));
  if (kind < 0.08) return text.replace(/[{}[\]":,]/, pick(draw, ['', '\\', '"', '\u0001', '//']));
  return text;
}

/** Numerous, small or deep members, to test the run time of parsers, checks and error texts. */
const FILLINGS: readonly ((bytes: number) => string)[] = [
  (bytes) => `1234567890123456789${',0'.repeat(bytes / 2)}`,
  (bytes) => `0${',12345678901234567'.repeat(bytes / 18)}`,
  (bytes) => `{}${',{}'.repeat(bytes / 3)}`,
  (bytes) => `""${',""'.repeat(bytes / 3)}`,
  (bytes) => `"${'\\ud800'.repeat(bytes / 6)}"`,
  (bytes) => `"${'\\"[{'.repeat(bytes / 4)}"`,
  (bytes) => `"${' '.repeat(bytes)}"`,
  (bytes) => ' '.repeat(bytes),
  (bytes) => `1${'0'.repeat(bytes)}`,
  (bytes) => '['.repeat(bytes),
  (bytes) => `[${'[[[[[[]]]]]],'.repeat(bytes / 13)}0]`,
  (bytes) => '\0'.repeat(bytes),
];
const entriesOf = (bytes: number): string =>
  Array.from({ length: Math.floor(bytes / 12) }, (_, i) => `"k${i}":${i % 10}`).join(',');

export function largeBodyOf(request: Readonly<Record<string, unknown>>, bytes: number, draw: Draw): string {
  const keys = Object.keys(request);
  const key = draw() < 0.8 && keys.length > 0 ? pick(draw, keys) : pick(draw, ['data', 'tags', 'devices', 'x']);
  const filling = draw() < 0.2 ? `{${entriesOf(bytes)}}` : `[${pick(draw, FILLINGS)(bytes)}]`;
  if (draw() < 0.1) return filling;
  const filled = `{"${key}":${filling}}`;
  const kind = draw();
  if (kind < 0.2) return filled;
  // The last of duplicate keys wins.
  const rest = JSON.stringify({ ...request, [key]: undefined }).slice(0, -1);
  const member = `${rest === '{' ? '' : ','}"${key}":${filling}}`;
  return kind < 0.6 ? `{"request":${rest}${member}}` : `${rest}${member}`;
}

const PATH_PIECES: readonly string[] = [
  ...[
    '*',
    '**',
    '*.php',
    ':',
    ':x',
    ':x(',
    ':x(\\d+)',
    '(',
    ')',
    '[',
    '{id}',
    '\\',
    '+',
    '$',
    '^',
    '|',
    '.',
    '..',
    '/',
    '//',
  ],
  ...[
    '/../',
    '%',
    '%00',
    '%2F',
    '%2e%2e',
    '%zz',
    '%C3',
    '?',
    '?a=%',
    '&',
    '#',
    ';',
    '=',
    '~',
    '"',
    "'",
    '<x>',
    'a'.repeat(3_000),
  ],
  ...['constructor', '__proto__', 'toString', 'undefined', 'null', '0', '-1', '1e999'],
];

/** Contains only characters that a request line allows. */
export function damagedPath(path: string, draw: Draw): string {
  let damaged = draw() < 0.2 ? '/' : path;
  for (let n = 1 + Math.floor(3 * draw()); n > 0; n--) {
    const at = Math.floor(draw() * (damaged.length + 1));
    const until = draw() < 0.7 ? at : at + Math.floor(draw() * (damaged.length - at));
    damaged = damaged.slice(0, at) + pick(draw, PATH_PIECES) + damaged.slice(until);
  }
  return draw() < 0.05 ? `http://localhost${damaged}` : damaged.startsWith('/') ? damaged : `/${damaged}`;
}

/** Except CONNECT, which requests a tunnel. */
export const anyVerb = (draw: Draw): string =>
  pick(draw, ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH', 'M-SEARCH']);
