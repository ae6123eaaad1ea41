import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createSecretKey } from 'node:crypto';
import {
  badge,
  badgeText,
  compilePayload,
  type DeviceColumns,
  fileUrl,
  json,
  jsonString,
  object,
  rawJson,
  statisticsHash,
  text,
  token,
  trimmable,
  url,
  xmlAttribute,
  xmlText,
} from './compiled-payload.ts';
import { OVERSIZED_BYTES, PayloadWriter } from './payload-writer.ts';
import { buildStatisticsHash, macOf, messageKeyOf } from './statistics-hash.ts';
import { FILLED_LIMIT, inFileUrl } from './template.ts';

interface Device {
  seq: number;
  platform: number;
  check: number;
  token: string;
  badge: number;
  values: string[];
}

function columnsOf(devices: readonly Device[], tags: number): DeviceColumns {
  const ends = (parts: readonly string[]) => {
    let end = 0;
    return Uint32Array.from(parts, (part) => (end += Buffer.byteLength(part)));
  };
  const values = devices.flatMap((device) => device.values);
  const tokens = devices.map((device) => device.token);
  return {
    chunk: (devices[0]?.seq ?? 0) >>> 16,
    positions: Uint16Array.from(devices, ({ seq }) => seq & 0xffff),
    platform: devices[0]?.platform ?? 0,
    checks: Uint8Array.from(devices.flatMap(({ check }) => [check >>> 16, (check >>> 8) & 255, check & 255])),
    tokens: Buffer.from(tokens.join('')),
    tokenEnds: ends(tokens),
    values: Buffer.from(values.join('')),
    valueEnds: ends(values),
    tags,
    badges: Int32Array.from(devices, (device) => device.badge),
  };
}

/** R-I16 and R-I17 once more, without regard to speed. */
function naive(
  template: string,
  encode: (value: string) => string,
  tags: readonly string[],
  values: readonly string[],
): string {
  const formats: Record<string, (value: string) => string> = {
    uppercase: (value) => value.toUpperCase(),
    lowercase: (value) => value.toLowerCase(),
    capitalizefirst: (value) => {
      const [first = '', ...rest] = [...value];
      return first.toUpperCase() + rest.join('');
    },
    capitalizeallfirst: (value) => {
      let raise = true;
      let result = '';
      for (const character of value) {
        result += raise ? character.toUpperCase() : character;
        raise = character.trim() === '';
      }
      return result;
    },
  };
  const placeholderAt = (at: number): { length: number; inner: string[] } | undefined => {
    const braces = template.startsWith('{{', at) ? [2, 1] : [1];
    for (const count of braces) {
      const close = '}'.repeat(count);
      let end = at + count;
      while (end < template.length && template[end] !== '{' && template[end] !== '}') end++;
      const inner = template.slice(at + count, end);
      const [name = '', format, ...rest] = inner.split('|');
      const complete = count === 2 || rest.length > 0;
      if (template.startsWith(close, end) && complete && name.trim() !== '') {
        return { length: end + count - at, inner: [name, format ?? '', rest.join('|')] };
      }
    }
    return undefined;
  };
  let result = '';
  for (let at = 0; at < template.length;) {
    const found = template[at] === '{' ? placeholderAt(at) : undefined;
    if (found) {
      const [name = '', format = '', fallback = ''] = found.inner.map((part) => part.trim());
      const value = values[tags.indexOf(name)] ?? '';
      result += encode(value === '' ? fallback : (formats[format.toLowerCase()] ?? String)(value));
      at += found.length;
    } else if (template.startsWith('\\{', at)) {
      result += '{';
      at += 2;
    } else result += template[at++]!;
  }
  return result;
}

const tags = ['Name', 'City', 'x'];
const message = { campaignId: 5n, messageId: 123456789n, code: '0123-89ABCDEF-00000001' };
const key = messageKeyOf(createSecretKey(new Uint8Array(32)), 'AAAAA-00001', message);
const words = fc.constantFrom(
  ...[
    '{{Name}}',
    '{Name|Uppercase|nobody "here"}',
    '{{City|capitalizeAllFirst|ströme}}',
    '{{x|lowercase}}',
    '{{unset||é/?}}',
  ],
  ...['{{Name', '}}', '{', '\\{', '|', 'plain ', '"', '\\', '\n', 'é', '💚', '\u0001', '/'],
);
const template = fc.array(words, { maxLength: 8 }).map((parts) => parts.join(''));
const value = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('anna maria', 'ŉ ΐ ß', '\u0000\u001f"\\', ''),
  fc.constantFrom('https://h/a%20%C3%a9?b=1&c=[50%]%', '%%41%4'),
);
const device: fc.Arbitrary<Omit<Device, 'platform'>> = fc.record({
  seq: fc.integer({ min: 65_536 * 7, max: 65_536 * 8 - 1 }),
  check: fc.integer({ min: 0, max: 2 ** 24 - 1 }),
  token: fc.string({ maxLength: 20 }),
  badge: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  values: fc.array(
    value.map((text) => text.toWellFormed()),
    { minLength: 3, maxLength: 3 },
  ),
});

const devicesOfOnePlatform: fc.Arbitrary<Device[]> = fc
  .tuple(fc.constantFrom(1, 3), fc.array(device, { minLength: 1, maxLength: 4 }))
  .map(([platform, devices]) => devices.map((each) => ({ ...each, platform })));

const none = { variables: { bindings: undefined, placeholders: undefined }, tags };

describe('payloads', () => {
  it('equal the result of a plain implementation', () => {
    fc.assert(
      fc.property(template, template, devicesOfOnePlatform, (title, link, devices) => {
        const payload = compilePayload(
          object({
            title: text(title, none),
            nothing: undefined,
            link: url(link, none),
            image: fileUrl(link, none),
            buttons: jsonString(object({ title: text(title, none), url: url(link, none), image: fileUrl(link, none) })),
            p: statisticsHash(message, key),
            token,
            badge,
            badgeText,
            data: rawJson('{"a": 1.0}'),
            n: json([1, null, 'x']),
          }),
        );
        const columns = columnsOf(devices, tags.length);
        const writer = new PayloadWriter(512);
        const written = devices.map((_, i) => writer.write(payload, columns, i, 4096));
        const expected = devices.map((each) => {
          const button = {
            title: naive(title, String, tags, each.values),
            url: naive(link, encodeURIComponent, tags, each.values),
            image: naive(link, inFileUrl, tags, each.values),
          };
          const raw = JSON.stringify({
            title: button.title,
            link: button.url,
            image: button.image,
            buttons: JSON.stringify(button),
            p: buildStatisticsHash(message, { ...each, mac: macOf(key, each.seq, each.platform, each.check) }),
            token: each.token.toWellFormed(),
            badge: each.badge,
            badgeText: String(each.badge),
            data: 'DATA',
            n: [1, null, 'x'],
          });
          return raw.replace('"DATA"', '{"a": 1.0}');
        });
        expect(written.map(String)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('are XML from which a parser reads the same texts', () => {
    const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
    const read = (xml: string): string => xml.replace(/&(\w+);/g, (_, name: string) => entities[name]!);
    // XML does not permit these.
    const permitted = (given: string): string => given.replace(/[\0-\x08\v\f\x0e-\x1f]/g, '');
    fc.assert(
      fc.property(template, template, devicesOfOnePlatform, (title, link, devices) => {
        const launch = object({ l: url(link, none), i: fileUrl(link, none), p: statisticsHash(message, key) });
        const payload = compilePayload(['<a b="', ...xmlAttribute(launch), '">', ...xmlText(title, none), '</a>']);
        const columns = columnsOf(devices, tags.length);
        devices.forEach((each, i) => {
          const xml = new PayloadWriter(512).write(payload, columns, i, 4096).toString();
          const [, attribute = '', element = ''] = /^<a b="([^"<]*)">([^<]*)<\/a>$/.exec(xml)!;
          const p = buildStatisticsHash(message, { ...each, mac: macOf(key, each.seq, each.platform, each.check) });
          expect(JSON.parse(read(attribute))).toEqual({
            l: naive(link, encodeURIComponent, tags, each.values),
            i: naive(link, inFileUrl, tags, each.values),
            p,
          });
          expect(read(element)).toBe(permitted(naive(title, String, tags, each.values)));
        });
      }),
      { numRuns: 200 },
    );
  });

  it('have no character that XML does not permit', () => {
    const payload = compilePayload(xmlText('a\u0000\ufffe{{Name}}\ud800{{City||\uffff<}}', none));
    const columns = columnsOf(
      [{ seq: 1, platform: 8, check: 0, token: '', badge: 0, values: ['\ufffe\uffff\ufffd\t', '', ''] }],
      3,
    );
    expect(new PayloadWriter().write(payload, columns, 0, 4096).toString()).toBe('a\ufffd\ufffd\ufffd\t\ufffd&lt;');
  });

  it('contain the values of the request, encoded once', () => {
    const variables = { bindings: { Name: 'a"b c' }, placeholders: { City: ['x', 'y'] } };
    const payload = compilePayload(
      object({
        t: text('{{Name|Uppercase}} {{City}} {{missing||"}}', { variables, tags: [] }),
        l: url('https://h/?q={{Name}}&r={{missing||ä}}', { variables, tags: [] }),
      }),
    );
    expect(payload.holes).toEqual([]);
    expect(JSON.parse(Buffer.from(payload.literals[0]!).toString())).toEqual({
      t: 'A"B C x, y "',
      l: 'https://h/?q=a%22b%20c&r=%C3%A4',
    });
  });

  it('are limited in size for any repeats in a request', () => {
    const variables = { bindings: undefined, placeholders: { a: 'x"'.repeat(30_000) } };
    const filled = text('{{a}}'.repeat(13_107), { variables, tags: [] });
    const length = filled.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
    expect(length).toBeGreaterThan(FILLED_LIMIT);
    expect(length).toBeLessThan(2 * FILLED_LIMIT);
    expect(JSON.parse((filled as string[]).join(''))).toMatch(/^(x")+$/);
    const link = url('{{a}}'.repeat(13_107), { variables, tags: [] });
    expect((link as string[]).join('').length).toBeLessThan(2 * FILLED_LIMIT);
  });

  it('are not written if a text repeats a tag beyond every limit of a provider', () => {
    const values = ['v'.repeat(1024), '', ''];
    const columns = columnsOf([{ seq: 1, platform: 1, check: 1, token: '', badge: 0, values }], tags.length);
    const payload = compilePayload(object({ t: trimmable(text('{{Name}}'.repeat(13_107), none)) }));
    expect(new PayloadWriter().write(payload, columns, 0, 4096).length).toBe(OVERSIZED_BYTES);
  });

  it('are never overwritten by later ones', () => {
    const columns = columnsOf(
      Array.from({ length: 50 }, (_, i) => ({
        seq: i,
        platform: 1,
        check: i,
        token: `t${i}`,
        badge: i,
        values: ['', '', ''],
      })),
      tags.length,
    );
    const payload = compilePayload(object({ token, badge }));
    const writer = new PayloadWriter(128);
    const written = Array.from({ length: 50 }, (_, i) => writer.write(payload, columns, i, 4096));
    expect(written.map((body) => JSON.parse(body.toString()) as unknown)).toEqual(
      Array.from({ length: 50 }, (_, i) => ({ token: `t${i}`, badge: i })),
    );
  });

  it('may contain values of any size', () => {
    const long = 'é"'.repeat(100_000);
    const columns = columnsOf(
      [{ seq: 1, platform: 1, check: 1, token: '', badge: 0, values: [long, '', ''] }],
      tags.length,
    );
    const payload = compilePayload(object({ t: text('{{Name|Uppercase}}', none) }));
    const body = new PayloadWriter().write(payload, columns, 0, Infinity);
    expect(JSON.parse(body.toString())).toEqual({ t: long.toUpperCase() });
  });

  describe('payloads with a trimmable text', () => {
    const write = (body: string, limit: number, values = ['', '', '']) => {
      const payload = compilePayload(object({ t: trimmable(text(body, none)), p: json('end') }));
      const columns = columnsOf([{ seq: 1, platform: 1, check: 1, token: '', badge: 0, values }], tags.length);
      return new PayloadWriter().write(payload, columns, 0, limit);
    };

    it('are unchanged if they fit exactly', () => {
      expect(write('0123456789', 28).toString()).toBe('{"t":"0123456789","p":"end"}');
    });

    it('are truncated to the limit and end with three dots', () => {
      expect(write('0123456789', 27).toString()).toBe('{"t":"012345 ...","p":"end"}'.replace(' ', ''));
    });

    it('keep only the dots when nothing else fits', () => {
      expect(write('0123456789', 5).toString()).toBe('{"t":"...","p":"end"}');
    });

    it('stay valid JSON of whole characters below the limit', () => {
      fc.assert(
        fc.property(template, fc.array(value, { minLength: 3, maxLength: 3 }), fc.nat(80), (body, values, room) => {
          const wellFormed = values.map((text) => text.toWellFormed());
          const full = (JSON.parse(write(body, Infinity, wellFormed).toString()) as { t: string }).t;
          const limit = 21 + room;
          const cut = write(body, limit, wellFormed);
          expect(cut.length).toBeLessThanOrEqual(limit);
          const { t, p } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(cut)) as {
            t: string;
            p: string;
          };
          expect(p).toBe('end');
          if (t !== full) {
            expect(t.endsWith('...')).toBe(true);
            expect(full.startsWith(t.slice(0, -3))).toBe(true);
            expect(t.isWellFormed()).toBe(true);
          }
        }),
        { numRuns: 500 },
      );
    });
  });
});
