import { describe, expect, it } from '@jest/globals';
import { ExportFormat, TagType } from '@tidings/events';
import { ScannedDevice } from '@tidings/rpc';
import fc from 'fast-check';
import { type Columns, linesOf } from './lines.ts';

const { EXPORT_FORMAT_CSV: CSV, EXPORT_FORMAT_JSON: JSON_LINES, EXPORT_FORMAT_UNSPECIFIED: NONE } = ExportFormat;
const everything = { hwid: true, userId: true, pushToken: true, tags: true };
const tags = [
  { tag: 70, type: TagType.TAG_TYPE_LIST, name: 'Interests' },
  { tag: 71, type: TagType.TAG_TYPE_INTEGER, name: 'Level, "now"' },
  { tag: 72, type: TagType.TAG_TYPE_BOOLEAN, name: 'Paid' },
  { tag: 73, type: TagType.TAG_TYPE_DATE, name: 'Since' },
];
const device = ScannedDevice.create({
  hwid: 'phone "1"',
  userId: 'Ann, B.',
  pushToken: 'token',
  platform: 3,
  tags: [
    { tag: 70, value: { $case: 'list', value: { items: ['news', 'a, "b"'] } } },
    { tag: 71, value: { $case: 'number', value: 1e21 } },
    { tag: 72, value: { $case: 'flag', value: false } },
    { tag: 73, value: { $case: 'minutes', value: 29_474_640 } },
  ],
});
const written = (format: ExportFormat, columns: Columns): string => {
  const { head, of } = linesOf(format, columns);
  return head + of(device);
};

function read(csv: string): string[][] {
  const lines: string[][] = [];
  let fields: string[] = [];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy)) {
    fields.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === ',') continue;
    lines.push(fields);
    fields = [];
  }
  return lines;
}

describe('the lines of an export (R-N6)', () => {
  it('are CSV with every column in its order', () => {
    expect(written(CSV, { fields: everything, tags })).toBe(
      'Hwid,User ID,Push Token,Type,Type (humanized),Interests,"Level, ""now""",Paid,Since\r\n' +
        '"phone ""1""","Ann, B.",token,3,Android,"news,a, ""b""",1000000000000000000000,false,2026-01-15 12:00\r\n',
    );
  });

  it('have the requested columns, and the platform', () => {
    const fields = { ...everything, hwid: false, userId: false, tags: false };
    expect(written(CSV, { fields, tags })).toBe('Push Token,Type,Type (humanized)\r\ntoken,3,Android\r\n');
    expect(written(JSON_LINES, { fields, tags })).toBe('{"push_token":"token","type":3,"type_humanized":"Android"}\n');
  });

  it('have integers in full (R-RES9)', () => {
    const serial = ScannedDevice.create({ tags: [{ tag: 71, value: { $case: 'integer', value: 2n ** 63n - 1n } }] });
    const columns = { fields: { hwid: false, userId: false, pushToken: false, tags: true }, tags: tags.slice(1, 2) };
    expect(linesOf(CSV, columns).of(serial)).toBe('0,,9223372036854775807\r\n');
    expect(linesOf(JSON_LINES, columns).of(serial)).toContain('{"Level, \\"now\\"":9223372036854775807}');
  });

  it('are JSON with the tags that are set', () => {
    expect(JSON.parse(written(JSON_LINES, { fields: everything, tags }))).toEqual({
      hwid: 'phone "1"',
      user_id: 'Ann, B.',
      push_token: 'token',
      type: 3,
      type_humanized: 'Android',
      tags: { Interests: ['news', 'a, "b"'], 'Level, "now"': 1e21, Paid: false, Since: '2026-01-15 12:00' },
    });
    const { of } = linesOf(JSON_LINES, { fields: everything, tags });
    expect(JSON.parse(of(ScannedDevice.create({ hwid: 'h', platform: 3 })))).toMatchObject({ tags: {} });
  });

  it('escape cells that a spreadsheet would take for formulas, if that is requested', () => {
    const texts = ['=1+1', '+49 (0) 1', '-1;2', '@a', '\ta', '\ra', '+4915112345678', '-1.5', '+', 'a=1', '', '1e-5'];
    const escaped = [
      `'=1+1`,
      `'+49 (0) 1`,
      `'-1;2`,
      `'@a`,
      `'\ta`,
      `'\ra`,
      '+4915112345678',
      '-1.5',
      `'+`,
      'a=1',
      '',
      '1e-5',
    ];
    const names = texts.map((name, tag) => ({ tag, type: TagType.TAG_TYPE_STRING, name }));
    const full = ScannedDevice.create({
      tags: texts.map((value, tag) => ({ tag, value: { $case: 'text' as const, value } })),
    });
    const cells = (isEscaped?: boolean) => {
      const fields = { hwid: false, userId: false, pushToken: false, tags: true };
      const { head, of } = linesOf(CSV, {
        fields,
        tags: names,
        ...(isEscaped === undefined ? {} : { escaped: isEscaped }),
      });
      return read(head + of(full)).map((line) => line.slice(2));
    };
    expect(cells(true)).toEqual([escaped, escaped]);
    for (const off of [undefined, false]) expect(cells(off)).toEqual([texts, texts]);
  });

  it('separate every text in CSV', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n', 'ü', ' ') });
    fc.assert(
      fc.property(text, text, (hwid, userId) => {
        const { head, of } = linesOf(CSV, { fields: { ...everything, pushToken: false, tags: false }, tags: [] });
        const line = of(ScannedDevice.create({ hwid, userId, platform: 3 }));
        const fields = [hwid, userId, '3', 'Android'];
        expect(read(head + line + line).slice(1)).toEqual([fields, fields]);
      }),
    );
  });

  it('do not exist if devices are only counted', () => {
    expect(() => linesOf(NONE, { fields: everything, tags })).toThrow('Internal error');
  });
});
