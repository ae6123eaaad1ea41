import { describe, expect, it } from '@jest/globals';
import type { Expression } from '@tidings/events';
import { type Asked, compile, type Meanings, namesIn } from './compile.ts';
import { MAX_LENGTH, parse } from './parse.ts';
import { Refusal } from './syntax.ts';

const segment: Expression = { node: { $case: 'any', value: { of: [] } } };
const conditions: [string, Asked][] = [];
const meanings: Meanings = {
  hasApplication: (code) => code === 'A1B2C-3D4E5',
  group: (code) => (code === 'AAAAA-GGGGG' ? ['A1B2C-3D4E5', 'X'] : undefined),
  segment: (code) => (code === '52551-F2F42' ? segment : undefined),
  condition: (tag, asked) => {
    conditions.push([tag, asked]);
    return {
      node: { $case: 'tag', value: { tag: tag.length, type: 1, operator: 1, operands: [], application: '' } },
    };
  },
};

/** The tree in a short form: tags by the length of their names. */
function shown({ node }: Expression): string {
  switch (node?.$case) {
    case 'all':
    case 'any':
      return `${node.$case}(${node.value.of.map(shown).join(' ')})`;
    case 'not':
      return `not(${shown(node.value)})`;
    case 'tag':
      return `${node.value.tag}${node.value.application && '@'}`;
    case 'application':
      return `app[${node.value.platforms.join()}]${node.value.withToken ? '!' : ''}`;
    case undefined:
      return '?';
  }
}
const compiled = (source: string): string => shown(compile(parse(source), meanings));
const asked = (source: string): [string, Asked] => {
  conditions.length = 0;
  compile(parse(source), meanings);
  return conditions[0]!;
};
function refusal(source: string): string {
  try {
    compiled(source);
    return '';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

const [a, b, c, d] = ['a', 'bb', 'ccc', 'dddd'].map((tag) => `T(${tag}, EQ, 1)`) as [string, string, string, string];

describe('set operators (R-N5)', () => {
  it.each([
    [a, '1'],
    [`(((${a})))`, '1'],
    [`${a} * ${b} * ${c}`, 'all(1 2 3)'],
    [`${a} + ${b} * ${c} + ${d}`, 'any(1 all(2 3) 4)'],
    [`${a} \\ ${b}`, 'all(1 not(2))'],
    [`${a} \\ ${b} \\ ${c}`, 'all(1 not(2) not(3))'],
    [`${a} + ${b} \\ ${c} + ${d}`, 'any(all(any(1 2) not(3)) 4)'],
    [`${a} \\ (${b} + ${c})`, 'all(1 not(any(2 3)))'],
    [`(((A("A1B2C-3D4E5") + ${b}) * A(a1b2c-3d4e5)) \\ ${c})`, 'all(all(any(app[] 2) app[]) not(3))'],
  ])('%s', (source, tree) => expect(compiled(source)).toBe(tree));
});

describe('conditions (R-N4)', () => {
  it.each([
    ['A("A1B2C-3D4E5")', 'app[]'],
    ["application('a1b2c-3d4e5')", 'app[]'],
    ['App(A1B2C-3D4E5, ["iOS", Android, WINDOWS_PHONE, osx, ios])', 'app[1,3,5,7]'],
    ['A(A1B2C-3D4E5, [], [with_tokens])', 'app[]!'],
    ['G("AAAAA-GGGGG", [ios])', 'any(app[1] app[1])'],
    ['AT("A1B2C-3D4E5", "Level", EQ, 3)', '5@'],
    ['tag(A1B2C-3D4E5, Level, eq, 3)', '5@'],
    ['Segment("52551-f2f42")', 'any()'],
  ])('%s', (source, tree) => expect(compiled(source)).toBe(tree));

  it.each<[string, string, Asked]>([
    ['T("My tag", eq, "x")', 'My tag', { kind: 'operator', operator: 'eq', operand: 'x' }],
    ['T(Größe, GTE, -1.50)', 'Größe', { kind: 'operator', operator: 'GTE', operand: '-1.50' }],
    ['T(Vip, EQ, TRUE)', 'Vip', { kind: 'operator', operator: 'EQ', operand: 'true' }],
    [
      `T(T, IN, ["a\\"b", 'it\\'s', "c:\\d", 7])`,
      'T',
      { kind: 'operator', operator: 'IN', operand: ['a"b', "it's", 'c:\\d', '7'] },
    ],
    [
      'T("Last Application Open", daysago, gt, 3)',
      'Last Application Open',
      { kind: 'daysago', comparison: 'gt', days: '3' },
    ],
    [
      'T(a, BETWEEN, ["3 days ago", "2026-01-01"])',
      'a',
      { kind: 'operator', operator: 'BETWEEN', operand: ['3 days ago', '2026-01-01'] },
    ],
  ])('%s', (source, tag, of) => expect(asked(source)).toEqual([tag, of]));

  it('tells the names that it holds', () => {
    const source = 'A(x) * AT(y, "Level", EQ, 1) + T(Age, IN, [1]) \\ Segment(s) + G(g)';
    expect(namesIn(parse(source))).toEqual({
      tags: new Set(['Level', 'Age']),
      applications: new Set(['X', 'Y']),
      segments: new Set(['S']),
      groups: new Set(['G']),
    });
  });
});

describe('refusals', () => {
  it.each([
    ['', 'unexpected end at position 0'],
    ['   ', 'unexpected end at position 3'],
    ['()', 'condition expected at position 1'],
    [`(${a}`, '")" expected at position 12'],
    [`${a})`, 'unexpected ")" at position 11'],
    [`${a} ${b}`, 'unexpected "T" at position 12'],
    [`${a} +`, 'unexpected end at position 13'],
    [`${a} * + ${b}`, 'condition expected at position 14'],
    ['A', '"(" expected at position 1'],
    ['A()', 'application code expected at position 2'],
    ['A(A1B2C-3D4E5, ios)', 'list of platform expected at position 15'],
    ['A(A1B2C-3D4E5, [ios], [with_tokens], 1)', '")" expected at position 37'],
    ['T("🦀", EQ, "x', 'text without an end at position 11'],
    ['T("🦀" EQ)', '")" expected at position 6'],
    ['T(a, EQ, b)', 'text in quotes, number, true or false expected at position 9'],
    ['T(a, EQ)', 'operand expected at position 7'],
    ['T(a, IN, [[1]])', 'value expected at position 10'],
    ['T(a, IN, [1', '"]" expected at position 11'],
    ['Event("x", EQ, 1)', 'Event is not supported'],
    ['geo(1, 2, 3)', 'geo is not supported'],
    ['S()', 'S is not supported'],
    ['A("X")', 'unknown application "X"'],
    ['G("X")', 'unknown group "X"'],
    ['Segment("X")', 'unknown segment "X"'],
    ['A(A1B2C-3D4E5, [palm])', 'unknown platform "palm"'],
    ['A(A1B2C-3D4E5, [], [quietly])', 'unknown option "quietly"'],
  ])('%s', (source, reason) => expect(refusal(source)).toBe(reason));

  it('refuses what is too deep, whatever makes it so, and takes what is long', () => {
    const deep = (n: number): string => '('.repeat(n) + a + ')'.repeat(n);
    expect(refusal(deep(100))).toBe('');
    expect(refusal(deep(101))).toBe('nested too deeply at position 100');
    const alternating = (n: number): string => a + ` + ${b} \\ ${c}`.repeat(n);
    expect(refusal(alternating(40))).toBe('');
    expect(refusal(alternating(60))).toMatch(/^nested too deeply at position \d+$/);
    expect(compiled(Array.from({ length: 2000 }, () => a).join('+'))).toMatch(/^any\(1 1 /);
    expect(refusal('('.repeat(MAX_LENGTH))).toBe('nested too deeply at position 100');
    expect(refusal(`${a}${' '.repeat(MAX_LENGTH - a.length)}`)).toBe('');
    expect(refusal(`${a}${' '.repeat(MAX_LENGTH)}`)).toBe('at most 65536 characters');
    expect(refusal(`"${'\\\\'.repeat(MAX_LENGTH / 2 - 1)}`)).toBe('text without an end at position 0');
  });
});
