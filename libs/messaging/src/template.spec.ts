import { describe, expect, it } from '@jest/globals';
import type { Localized } from '@tidings/events';
import fc from 'fast-check';
import {
  FILLED_LIMIT,
  filledText,
  formatted,
  inFileUrl,
  parseTemplate,
  requestValue,
  textFor,
  valueText,
} from './template.ts';

const localized = (texts: Record<string, string>): Localized => ({
  entries: Object.entries(texts).map(([language, text]) => ({ language, text })),
});
const placeholder = (name: string, format = 'regular', fallback = '') => ({ name, format, fallback });

describe('placeholders', () => {
  it.each([
    ['nothing', 'plain', ['plain']],
    ['an empty text', '', ['']],
    ['a name', 'Hi {{Name}}!', ['Hi ', placeholder('Name'), '!']],
    ['name and format', '{{Name|Uppercase}}', [placeholder('Name', 'uppercase')]],
    ['all three', '{{Name|lowercase|friend}}', [placeholder('Name', 'lowercase', 'friend')]],
    ['an empty format', '{{Name||friend}}', [placeholder('Name', 'regular', 'friend')]],
    ['single braces', '{Name|CapitalizeFirst|friend}', [placeholder('Name', 'capitalizefirst', 'friend')]],
    ['single braces, all empty but the name', '{Name||}', [placeholder('Name')]],
    ['white space around', '{{ a b | UPPERCASE |  x y }}', [placeholder('a b', 'uppercase', 'x y')]],
    ['an unknown format', '{{Name|Shout|x}}', [placeholder('Name', 'regular', 'x')]],
    ['bars in the default', '{{Name||a|b}}', [placeholder('Name', 'regular', 'a|b')]],
    ['a brace before', '{{{Name}}}', ['{', placeholder('Name'), '}']],
    ['single within an unfinished double', '{{Name|a|b}', ['{', placeholder('Name', 'regular', 'b')]],
  ])('are read: %s', (_, text, parts) => {
    expect(parseTemplate(text)).toEqual(parts);
  });

  it.each([
    '{Name}',
    '{Name|x}',
    '{{Name}',
    '{{}}',
    '{{ |Uppercase|x}}',
    '{||}',
    '{{a{b}}',
    '{',
    '}}',
    '{{Name|a|b{c}}',
  ])('stay text if they are malformed: %s', (text) => {
    expect(parseTemplate(text)).toEqual([text]);
  });

  it.each([
    ['\\{Name|a|b}', '{Name|a|b}'],
    ['\\{{Name}}', '{{Name}}'],
    ['\\{', '{'],
    ['a \\ b', 'a \\ b'],
    ['\\\\{Name|a|b}', '\\{Name|a|b}'],
  ])('do not begin at an escaped brace: %s', (text, literal) => {
    expect(parseTemplate(text)).toEqual([literal]);
  });

  it('are parsed in linear time', () => {
    // In other than linear time these take hours, which the test's time-out cuts short.
    for (const text of [
      '{'.repeat(2_000_000),
      '{{a|'.repeat(500_000),
      `{{${'a|'.repeat(1_000_000)}`,
      '\\{'.repeat(1_000_000),
    ]) {
      expect(parseTemplate(text).length).toBeGreaterThan(0);
    }
  });

  it('never lose text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', '|', 'a', ' ') }), (text) => {
        const parts = parseTemplate(text);
        if (parts.every((part) => typeof part === 'string')) expect(parts).toEqual([text]);
      }),
    );
  });
});

describe('formats', () => {
  it.each([
    ['regular', 'anna MARIA', 'anna MARIA'],
    ['raw', 'anna MARIA', 'anna MARIA'],
    ['capitalizefirst', 'anna MARIA', 'Anna MARIA'],
    ['capitalizeallfirst', 'anna  maria\tÉmile d’arc', 'Anna  Maria\tÉmile D’arc'],
    ['uppercase', 'straße', 'STRASSE'],
    ['lowercase', 'ÉMILE', 'émile'],
    ['capitalizefirst', 'émile', 'Émile'],
    ['capitalizefirst', '', ''],
    ['capitalizefirst', '𐐨x', '𐐀x'],
  ] as const)('change a value: %s of %j', (format, value, result) => {
    expect(formatted(value, format)).toBe(result);
  });
});

describe('values', () => {
  it.each([
    ['text', 'x', 'x'],
    ['a list', ['a', 1, true, null], 'a, 1, true, '],
    ['a boolean', false, 'false'],
    ['zero', 0, '0'],
    ['a large number', 1.5e21, '1500000000000000000000'],
    ['a small number', -2.5e-7, '-0.00000025'],
    ['a date', new Date('2026-03-04T05:06:07Z'), '2026-03-04 05:06'],
    ['an object', { a: 1 }, '{"a":1}'],
    ['long integers within', { a: [12345678901234567890n] }, '{"a":[12345678901234567890]}'],
    ['half a character', 'a\ud800', 'a\ufffd'],
  ])('are written: %s', (_, value, text) => {
    expect(valueText(value)).toBe(text);
  });

  it.each([[null], [''], [[]], [undefined]])('count as missing: %j', (value) => {
    expect(valueText(value)).toBeUndefined();
  });

  it('come from bindings by path, then from placeholders by name', () => {
    const variables = {
      bindings: { user: { names: ['Ann', ''] }, empty: '', n: 3 },
      placeholders: { 'user.names.1': 'second', empty: 'filled', n: 4, toString: null },
    };
    const values = ['user.names.0', 'user.names.1', 'user.names.length', 'empty', 'n', 'toString', 'user.x.y'].map(
      (name) => requestValue(name, variables),
    );
    expect(values).toEqual(['Ann', 'second', undefined, 'filled', '3', undefined, undefined]);
  });
});

describe('a value in the URL of a file (R-I17)', () => {
  it.each([
    ['https://cdn.example/a/b.png?c=1&d=2#e', 'https://cdn.example/a/b.png?c=1&d=2#e'],
    ['https://cdn.example/Zo%C3%AB%20B.png', 'https://cdn.example/Zo%C3%AB%20B.png'],
    ['Zoë B', 'Zo%C3%AB%20B'],
    ['50% "off" \\', '50%25%20%22off%22%20%5C'],
    ['%%41%4', '%25%41%254'],
    ['half \ud800', 'half%20%EF%BF%BD'],
  ])('keeps the syntax of URLs and escapes: %j', (value, written) => {
    expect(inFileUrl(value)).toBe(written);
  });
});

describe('languages', () => {
  const texts = { de: 'Hallo', default: 'Hi', en: 'Hello' };
  it.each([
    ['the exact one', texts, 'de', 'Hallo'],
    ['default', texts, 'fr', 'Hi'],
    ['en', { de: 'Hallo', en: 'Hello' }, 'fr', 'Hello'],
    ['the first', { de: 'Hallo', it: 'Ciao' }, 'fr', 'Hallo'],
    ['default for a device without language', texts, '', 'Hi'],
    ['default for a device without language, whatever has an empty key', { '': 'Hm', ...texts }, '', 'Hi'],
    ['none', {}, 'en', undefined],
  ])('choose %s', (_, given, language, text) => {
    expect(textFor(localized(given), language)).toBe(text);
  });
});

describe('a text for one device', () => {
  const variables = { bindings: undefined, placeholders: { City: 'Graz' } };
  const values: Record<string, string> = { Name: 'anna', Path: 'a b' };
  const valueOf = (tag: string): string | undefined => values[tag];

  it('has its placeholders filled: from the request, from the device, else with their default', () => {
    const text = 'Hi {{Name|CapitalizeFirst|you}} in {{City||Wien}}, {{Level||no}} \\{level';
    expect(filledText(text, variables, valueOf)).toBe('Hi Anna in Graz, no {level');
  });

  it('ends beyond the limit of every channel', () => {
    const filled = filledText(
      '{{a}}'.repeat(13_107),
      { bindings: undefined, placeholders: { a: 'x'.repeat(60_000) } },
      valueOf,
    );
    expect(filled.length).toBeGreaterThan(FILLED_LIMIT);
    expect(filled.length).toBeLessThan(FILLED_LIMIT + 60_001);
  });

  it('encodes only the filled placeholders', () => {
    expect(filledText('https://x/é?p={{Path}}&q={{No||c d}}', variables, valueOf, encodeURIComponent)).toBe(
      'https://x/é?p=a%20b&q=c%20d',
    );
  });
});
