import { TagType } from '@tidings/events';
import { TagValue } from '@tidings/events/generated/tidings/events/v1/devices';
import fc from 'fast-check';
import { entriesOf, valueOf } from './entries.ts';
import { outputOf, parseValue, plainText, wrongValue } from './value.ts';

const shown = (type: TagType, input: unknown) => {
  const value = parseValue(type, input);
  return value && outputOf(value);
};

describe('the type of a tag (R-RES8, R-RES9)', () => {
  const { TAG_TYPE_INTEGER: integer, TAG_TYPE_STRING: string, TAG_TYPE_LIST: list, TAG_TYPE_DATE: date } = TagType;
  const { TAG_TYPE_BOOLEAN: boolean, TAG_TYPE_DECIMAL: decimal, TAG_TYPE_VERSION: version } = TagType;
  const wrong = undefined;

  it.each<[TagType, unknown, unknown]>([
    [integer, 5, 5],
    [integer, 5.0, 5],
    [integer, '-12', -12],
    [integer, 5.5, wrong],
    [integer, true, wrong],
    [integer, 'five', wrong],
    [integer, '', wrong],
    [integer, 1e30, wrong],
    [integer, '-9223372036854775808', -(2n ** 63n)],
    [integer, '9223372036854775807', 2n ** 63n - 1n],
    [integer, 2 ** 63, wrong],
    [integer, -(2 ** 63), -(2n ** 63n)],
    [integer, 2 ** 60, 2n ** 60n],
    [integer, '9007199254740991', 2 ** 53 - 1],
    [integer, '9007199254740993', 2n ** 53n + 1n],
    [integer, '+9007199254740993.000', 2n ** 53n + 1n],
    [integer, '0.9007199254740993e16', 2n ** 53n + 1n],
    [integer, '9007199254740993000e-3', 2n ** 53n + 1n],
    [integer, '9007199254740993.5', wrong],
    [integer, '9007199254740990.9999999', wrong],
    [integer, '1.0000000000000000001', wrong],
    [integer, `1.${'0'.repeat(100_000)}`, 1],
    [integer, `1.${'0'.repeat(100_000)}1`, wrong],
    [integer, '00000000000000000000', 0],
    [integer, '-0.00000000000000000', 0],
    [integer, '9223372036854775808', wrong],
    [integer, '-9223372036854775809', wrong],
    [integer, [5], wrong],
    [decimal, '1.25', 1.25],
    [decimal, -0, 0],
    [decimal, Number.NaN, wrong],
    [decimal, 'Infinity', wrong],
    [string, 'text', 'text'],
    [string, 7, '7'],
    [decimal, '9007199254740993', 2 ** 53],
    [string, 1e21, '1000000000000000000000'],
    [string, '', ''],
    [string, true, wrong],
    [string, ['a'], wrong],
    [string, '😀'.repeat(1024), '😀'.repeat(1024)],
    [string, 'x'.repeat(1025), wrong],
    [list, ['b', 'a', 'b', 3], ['b', 'a', '3']],
    [list, 'one', ['one']],
    [list, [], []],
    [list, ['x'.repeat(256)], wrong],
    [list, Array.from({ length: 1001 }, (_, i) => i), wrong],
    [list, [null], wrong],
    [list, {}, wrong],
    [boolean, 'true', true],
    [boolean, 0, false],
    [boolean, '1', true],
    [boolean, 'yes', wrong],
    [boolean, 2, wrong],
    [date, '2024-02-29', '2024-02-29 00:00'],
    [date, '2024-02-29 13:05', '2024-02-29 13:05'],
    [date, '2024-02-29 13:05:59', '2024-02-29 13:05'],
    [date, '2024-02-29T13:05:59Z', '2024-02-29 13:05'],
    [date, '2024-02-29T13:05+02:00', '2024-02-29 11:05'],
    [date, 1709211900, '2024-02-29 13:05'],
    [date, '1709211900', '2024-02-29 13:05'],
    [date, '9999-12-31 23:59', '9999-12-31 23:59'],
    [date, 253370764800, '9999-01-01 00:00'],
    [date, '0001-01-01', '0001-01-01 00:00'],
    [date, '1709211900.5', '2024-02-29 13:05'],
    [date, '2023-02-29', wrong],
    [date, '2024-13-01', wrong],
    [date, '2024-01-01 24:00', wrong],
    [date, 'yesterday', wrong],
    [date, 1e15, wrong],
    [version, '1.2.3-beta', '1.2.3-beta'],
    [version, 1.5, '1.5'],
    [version, 'v1', wrong],
  ])('reads for number %s the value %j as %j', (type, input, expected) => expect(shown(type, input)).toEqual(expected));

  it('keeps every accepted date, in events and on devices', () => {
    const first = Date.parse('0001-01-01T00:00:00Z');
    const last = Date.parse('9999-12-31T23:59:59Z');
    fc.assert(
      fc.property(fc.integer({ min: first / 1000, max: Math.floor(last / 1000) }), (seconds) => {
        const value = parseValue(date, seconds)!;
        expect(TagValue.decode(TagValue.encode({ tag: 70, value }).finish()).value).toEqual(value);
        expect(valueOf(date, entriesOf(70, value))).toEqual(value);
        expect(outputOf(value)).toBe(new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' '));
      }),
    );
  });

  it.each([
    [integer, 'integer'],
    [string, 'string'],
    [list, 'list'],
    [date, 'date'],
    [boolean, 'boolean'],
    [decimal, 'decimal'],
    [version, 'version'],
  ])('reports for a wrong value of %s that %s is expected', (type, noun) =>
    expect(wrongValue(type)).toBe(`wrong value: ${noun} expected`),
  );

  it('writes numbers in plain decimals', () =>
    expect([2n ** 63n - 1n, 1e21, 1e-7, -2.5, -1.25e-9, 1e-30].map(plainText)).toEqual([
      '9223372036854775807',
      '1000000000000000000000',
      '0.0000001',
      '-2.5',
      '-0.00000000125',
      `0.${'0'.repeat(29)}1`,
    ]));
});

it.each([TagType.TAG_TYPE_INTEGER, TagType.TAG_TYPE_DECIMAL, TagType.TAG_TYPE_VERSION, TagType.TAG_TYPE_DATE])(
  'parsing a text of digits without a value of type %i takes a linear time',
  (type) => {
    const cpuOf = (digits: number): number => {
      const text = `${'1'.repeat(digits)}x`;
      const before = process.cpuUsage();
      for (let i = 0; i < 10; i++) expect(parseValue(type, text)).toBeUndefined();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    cpuOf(50_000);
    // Microseconds: less than this is the noise of the clock.
    expect(cpuOf(100_000)).toBeLessThan(3 * cpuOf(50_000) + 20_000);
  },
);
