import { TagType } from '@tidings/events';
import fc from 'fast-check';
import { defaultTags, type TagDefinition, tagNumber } from '../default-tags.ts';
import { entriesOf, indexedText, type TagEntry, valueOf } from './entries.ts';
import { applyWrite, parseTagWrite, sameEntries, INVALID_VALUE } from './operations.ts';
import { parseValue, type Value } from './value.ts';

const tag = (type: TagType): TagDefinition => ({
  name: 't',
  number: tagNumber(3, type, true),
  type,
  applicationSpecific: true,
});
const integer = tag(TagType.TAG_TYPE_INTEGER);
const decimal = tag(TagType.TAG_TYPE_DECIMAL);
const list = tag(TagType.TAG_TYPE_LIST);
const string = tag(TagType.TAG_TYPE_STRING);
const version = tag(TagType.TAG_TYPE_VERSION);

function after(
  definition: TagDefinition,
  before: unknown,
  input: unknown,
): readonly TagEntry[] | string | typeof INVALID_VALUE {
  const start = before === undefined ? [] : entriesOf(definition.number, parseValue(definition.type, before)!);
  const write = parseTagWrite(definition, input);
  if (typeof write === 'string') return write;
  const value = applyWrite(write, start);
  if (value === INVALID_VALUE) return INVALID_VALUE;
  return value ? entriesOf(definition.number, value) : [];
}

const has = (definition: TagDefinition, value: unknown) =>
  entriesOf(definition.number, parseValue(definition.type, value)!);

describe('a tag operation (R-C5)', () => {
  it('increments, from 0 without a value, also by negative amounts', () => {
    expect(after(integer, undefined, { operation: 'increment', value: 5 })).toEqual(has(integer, 5));
    expect(after(integer, 5, { operation: 'increment', value: '-7' })).toEqual(has(integer, -2));
    expect(after(decimal, 0.5, { operation: 'increment', value: 0.25 })).toEqual(has(decimal, 0.75));
  });

  it('adds integers exactly, across 2^53 and back', () => {
    const wide = fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n - 1n });
    const near = fc.bigInt({ min: -3n, max: 3n }).chain((n) => fc.constantFrom(2n ** 53n + n, -(2n ** 53n) + n));
    fc.assert(
      fc.property(fc.oneof(near, wide), fc.oneof(near, wide), (before, by) => {
        const value = { operation: 'increment', value: by.toString() };
        expect(after(integer, before.toString(), value)).toEqual(has(integer, (before + by).toString()));
      }),
    );
    expect(has(integer, '9007199254740993')).toEqual([{ k: integer.number, v: 2n ** 53n + 1n }]);
  });

  it('continues from a double of an earlier version, and removes it', () => {
    const stored: TagEntry[] = [{ k: integer.number, v: 2 ** 60 }];
    const run = (input: unknown) => {
      const write = parseTagWrite(integer, input);
      return typeof write === 'string' ? write : applyWrite(write, stored);
    };
    expect(run({ operation: 'increment', value: 1 })).toEqual({ $case: 'integer', value: 2n ** 60n + 1n });
    expect(run({ operation: 'remove', value: (2n ** 60n).toString() })).toBeUndefined();
    expect(run({ operation: 'remove', value: (2n ** 60n + 1n).toString() })).toEqual({
      $case: 'integer',
      value: 2n ** 60n,
    });
  });

  it('appends only missing values', () => {
    expect(after(list, ['a', 'b'], { operation: 'append', value: ['c', 'a'] })).toEqual(has(list, ['a', 'b', 'c']));
    expect(after(list, undefined, { operation: 'append', value: 'c' })).toEqual(has(list, ['c']));
  });

  it('removes one or several entries, and equal values of other types', () => {
    expect(after(list, ['a', 'b', 'c'], { operation: 'remove', value: ['c', 'a', 'x'] })).toEqual(has(list, ['b']));
    expect(after(list, ['a'], { operation: 'remove', value: 'a' })).toEqual([]);
    expect(after(string, 'blue', { operation: 'remove', value: 'blue' })).toEqual([]);
    expect(after(string, 'blue', { operation: 'remove', value: 'red' })).toEqual(has(string, 'blue'));
    expect(after(integer, 7, { operation: 'remove', value: 7 })).toEqual([]);
    expect(after(version, '1.0', { operation: 'remove', value: '1.0.0' })).toEqual([]);
  });

  it('sets and unsets', () => {
    expect(after(string, 'blue', 'red')).toEqual(has(string, 'red'));
    expect(after(string, 'blue', null)).toEqual([]);
  });

  it('refuses unknown operations, operations on other types, and wrong values', () => {
    expect(after(integer, 1, { operation: 'multiply', value: 2 })).toBe('unknown operation');
    expect(after(integer, 1, { operation: { toString: 2 }, value: 2 })).toBe('unknown operation');
    expect(after(string, 'a', { operation: 'increment', value: 2 })).toBe(
      'operation increment is not valid for String tag',
    );
    expect(after(string, 'a', { operation: 'append', value: ['b'] })).toBe(
      'operation append is not valid for String tag',
    );
    expect(after(integer, 1, { operation: 'increment', value: 1.5 })).toBe('wrong value: integer expected');
    expect(after(list, ['a'], { operation: 'append', value: [null] })).toBe('wrong value: list expected');
    expect(after(integer, 1, { value: 2 })).toBe('wrong value: integer expected');
  });

  it('removes as many items as a list may contain, and no more', () => {
    const named = (count: number) => Array.from({ length: count }, (_, i) => `${i}-${'x'.repeat(100)}`);
    expect(after(list, [...named(999), 'kept'], { operation: 'remove', value: named(1000) })).toEqual(
      has(list, 'kept'),
    );
    expect(after(list, ['a'], { operation: 'remove', value: named(1001) })).toBe('wrong value: list expected');
  });

  it('finds results that the tag cannot have', () => {
    const full = Array.from({ length: 1000 }, (_, i) => String(i));
    expect(after(list, full, { operation: 'append', value: ['one more'] })).toBe(INVALID_VALUE);
    expect(after(integer, 2 ** 62, { operation: 'increment', value: 2 ** 62 })).toBe(INVALID_VALUE);
    expect(after(integer, -(2 ** 62), { operation: 'increment', value: -(2 ** 62) })).toEqual(has(integer, -(2 ** 63)));
    expect(after(integer, '9223372036854775806', { operation: 'increment', value: 1 })).toEqual(
      has(integer, '9223372036854775807'),
    );
    expect(after(integer, '9223372036854775807', { operation: 'increment', value: 1 })).toBe(INVALID_VALUE);
    expect(after(integer, '-9223372036854775808', { operation: 'increment', value: -1 })).toBe(INVALID_VALUE);
    expect(after(defaultTags.timezone, 50_000, { operation: 'increment', value: 1000 })).toBe(INVALID_VALUE);
  });

  it('applies a plain list as the request specifies', () => {
    const append = parseTagWrite(list, ['c'], 'append');
    expect(append).toMatchObject({ operation: 'append', items: ['c'] });
    expect(parseTagWrite(string, 'c', 'append')).toMatchObject({ operation: 'set' });
  });

  it('keeps the rules of language and time zone', () => {
    expect(after(defaultTags.language, undefined, 'EN-us')).toEqual([{ k: 1, v: 'en' }]);
    expect(after(defaultTags.language, undefined, 'english')).toBe('wrong value: string expected');
    expect(after(defaultTags.timezone, undefined, 60_000)).toBe('wrong value: integer expected');
    expect(after(defaultTags.country, undefined, 'de')).toEqual([{ k: 2, v: 'DE' }]);
  });

  it('removes language and country in any form that sets them', () => {
    const { language, country, timezone } = defaultTags;
    const remove = (value: unknown) => ({ operation: 'remove', value });
    expect(after(language, 'en', remove('EN-us'))).toEqual([]);
    expect(after(country, 'DE', remove('de'))).toEqual([]);
    expect(after(country, 'DE', remove(['at', 'de']))).toEqual([]);
    expect(after(country, 'DE', remove('at'))).toEqual(has(country, 'DE'));
    expect(after(language, 'en', remove('english'))).toEqual(has(language, 'en'));
    expect(after(timezone, 3600, remove(60_000))).toEqual(has(timezone, 3600));
  });

  const items = fc.array(fc.string({ maxLength: 5 }), { maxLength: 20 });
  const run = (before: string[], operation: string, value: string[]): string[] => {
    const result = after(list, before, { operation, value });
    return (result as TagEntry[]).map(({ v, s }) => s ?? String(v));
  };

  it('restores the list in order when it removes the values that were appended', () => {
    fc.assert(
      fc.property(items, items, (before, added) => {
        const unique = [...new Set(before)];
        const appended = run(before, 'append', added);
        expect(appended.slice(0, unique.length)).toEqual(unique);
        expect(new Set(appended)).toEqual(new Set([...before, ...added]));
        expect(run(appended, 'append', added)).toEqual(appended);
        expect(
          run(
            appended,
            'remove',
            added.filter((item) => !unique.includes(item)),
          ),
        ).toEqual(unique);
      }),
    );
  });

  it('adds increments in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (steps) => {
        const sum = steps.reduce((entries: readonly TagEntry[], by) => {
          const value = applyWrite({ tag: integer, operation: 'increment', by }, entries) as Value;
          return entriesOf(integer.number, value);
        }, []);
        expect(sum).toEqual(
          steps.length === 0
            ? []
            : has(
                integer,
                steps.reduce((a, b) => a + b, 0),
              ),
        );
      }),
    );
  });

  it('returns every value from its entries, and indexes nothing longer than 64 code points', () => {
    const value = fc.oneof(
      fc.tuple(fc.constant(string), fc.string({ unit: 'grapheme', maxLength: 200 })),
      fc.tuple(
        fc.constant(list),
        fc.array(fc.string({ unit: 'grapheme', maxLength: 90 }), { minLength: 1, maxLength: 5 }),
      ),
      fc.tuple(fc.constant(integer), fc.maxSafeInteger()),
      fc.tuple(fc.constant(integer), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
      fc.tuple(fc.constant(decimal), fc.double({ noNaN: true, noDefaultInfinity: true })),
    );
    fc.assert(
      fc.property(value, ([definition, input]) => {
        const parsed = parseValue(definition.type, input);
        if (!parsed) return;
        const entries = entriesOf(definition.number, parsed);
        expect(valueOf(definition.type, entries)).toEqual(parsed);
        expect(sameEntries(entries, entriesOf(definition.number, valueOf(definition.type, entries)!))).toBe(true);
        for (const { v, s } of entries) {
          expect([...String(v)].length).toBeLessThanOrEqual(64);
          if (s !== undefined) expect(v).toBe([...s].slice(0, 64).join(''));
        }
      }),
    );
    expect(indexedText('😀'.repeat(65))).toBe('😀'.repeat(64));
  });
});
