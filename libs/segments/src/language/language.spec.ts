import { Refusal } from '@tidings/kernel';
import { describe, expect, it } from '@jest/globals';
import { type Expression, MessageAccepted, MessageEvent, type Operand } from '@tidings/events';
import fc from 'fast-check';
import { type ConditionTerm, compile, type NameResolver, namesIn } from './compile.ts';
import { MAX_LENGTH, parse } from './parse.ts';

const operand: Operand = { value: { $case: 'date', value: { atMs: 1n, wholeDay: false, daysAgo: undefined } } };
const segment: Expression = { node: { $case: 'any', value: { of: [] } } };
const conditions: [string, ConditionTerm][] = [];
const meanings: NameResolver = {
  hasApplication: (code) => code === 'A1B2C-3D4E5',
  group: (code) => (code === 'AAAAA-GGGGG' ? ['A1B2C-3D4E5', 'X'] : undefined),
  segment: (code) => (code === '52551-F2F42' ? segment : undefined),
  condition: (tag, term) => {
    conditions.push([tag, term]);
    return {
      node: { $case: 'tag', value: { tag: tag.length, type: 4, operator: 1, operands: [operand], application: '' } },
    };
  },
};

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
const conditionIn = (source: string): [string, ConditionTerm] => {
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
    [`(((A("A1B2C-3D4E5") + ${b}) * A(a1b2c-3d4e5)) \\ ${c})`, 'all(any(app[] 2) app[] not(3))'],
    [`((${a} + ${b}) + (${c} + ${d})) + ${a}`, 'any(1 2 3 4 1)'],
    [`${a} * (${b} * (${c} \\ ${d}))`, 'all(1 2 3 not(4))'],
    [`${a} + Segment(52551-F2F42) + G("AAAAA-GGGGG")`, 'any(1 app[] app[])'],
  ])('are compiled: %s', (source, tree) => expect(compiled(source)).toBe(tree));
});

describe('conditions (R-N4)', () => {
  it.each([
    ['A("A1B2C-3D4E5")', 'app[]'],
    ["application('a1b2c-3d4e5')", 'app[]'],
    ['App(A1B2C-3D4E5, ["iOS", Android, WINDOWS_PHONE, osx, ios])', 'app[1,3,5,7]'],
    ['A(A1B2C-3D4E5, ["Mac OS X", MAC_OS, "Internet Explorer 11", IE11, "Huawei"])', 'app[7,13,17]'],
    ['A(A1B2C-3D4E5, [3, "18"])', 'app[3,18]'],
    ['A(A1B2C-3D4E5, [ASHA, "Bada", symbian, BAIDU_ANDROID])', 'app[0]'],
    ['A(A1B2C-3D4E5, [], [with_tokens])', 'app[]!'],
    ['G("AAAAA-GGGGG", [ios])', 'any(app[1] app[1])'],
    ['AT("A1B2C-3D4E5", "Level", EQ, 3)', '5@'],
    ['tag(A1B2C-3D4E5, Level, eq, 3)', '5@'],
    ['Segment("52551-f2f42")', 'any()'],
  ])('are compiled: %s', (source, tree) => expect(compiled(source)).toBe(tree));

  it.each<[string, string, ConditionTerm]>([
    ['T("My tag", eq, "x")', 'My tag', { kind: 'operator', operator: 'eq', operand: 'x' }],
    ['T(Größe, GTE, -1.50)', 'Größe', { kind: 'operator', operator: 'GTE', operand: '-1.50' }],
    ['T(Level, EQ, +5)', 'Level', { kind: 'operator', operator: 'EQ', operand: '+5' }],
    ['T(+1, IN, [+.5, 1e+5,-2.5E-3])', '+1', { kind: 'operator', operator: 'IN', operand: ['+.5', '1e+5', '-2.5E-3'] }],
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
  ])('are read with a tag: %s', (source, tag, of) => expect(conditionIn(source)).toEqual([tag, of]));

  it('name tags, applications, segments and groups', () => {
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
    ['T(a, EQ, +b)', 'value expected at position 9'],
    ['T(a, EQ, 1+5)', '")" expected at position 10'],
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
    ['A(A1B2C-3D4E5, [4])', 'unknown platform "4"'],
    ['A(A1B2C-3D4E5, [], [quietly])', 'unknown option "quietly"'],
  ])('name the reason: %s', (source, reason) => expect(refusal(source)).toBe(reason));

  it('begin beyond the maximum length, with any parentheses', () => {
    const deep = (n: number): string => '('.repeat(n) + a + ')'.repeat(n);
    expect(refusal(deep(1000))).toBe('');
    expect(refusal(deep(1001))).toBe('nested too deeply at position 1000');
    expect(refusal('('.repeat(MAX_LENGTH))).toBe('nested too deeply at position 1000');
    const many = Array.from({ length: 1000 }, () => a);
    const flat = `any(${many.map(() => '1').join(' ')})`;
    expect(compiled(many.join('+'))).toBe(flat);
    expect(compiled(many.reduce((left, right) => `(${left} + ${right})`))).toBe(flat);
    expect(compiled(many.reduceRight((right, left) => `(${left} + ${right})`))).toBe(flat);
    expect(refusal(`${a}${' '.repeat(MAX_LENGTH - a.length)}`)).toBe('');
    expect(refusal(`${a}${' '.repeat(MAX_LENGTH)}`)).toBe('at most 65536 characters');
    expect(refusal(`"${'\\\\'.repeat(MAX_LENGTH / 2 - 1)}`)).toBe('text without an end at position 0');
  });

  it('include an excessive depth, by operators and by segments', () => {
    const alternating = (n: number): string => a + ` + ${b} \\ ${c}`.repeat(n);
    expect(refusal(alternating(19))).toBe('');
    const source = alternating(20);
    expect(refusal(source)).toBe(`nested too deeply at position ${source.lastIndexOf('\\')}`);
    expect(refusal(alternating(2000))).toBe(`nested too deeply at position ${source.lastIndexOf('\\')}`);
    const before = segment.node;
    try {
      segment.node = compile(parse(alternating(19)), meanings).node;
      const kind = segment.node?.$case === 'all' ? '*' : '+';
      const other = kind === '*' ? '+' : '*';
      const named = 'Segment(52551-F2F42)';
      expect(refusal(`(${a} ${kind} ${named}) ${other} ${b}`)).toBe('');
      expect(refusal(`(${a} ${other} ${named}) ${kind} ${b}`)).toBe('nested too deeply at position 15');
      expect(refusal(`${a} \\ (${b} \\ ${named})`)).toBe('nested too deeply at position 30');
    } finally {
      segment.node = before;
    }
  });
});

describe('an accepted expression', () => {
  const expressions = fc
    .array(
      fc.record({
        operator: fc.constantFrom('+', '*', '\\'),
        other: fc.constantFrom(a, b, c, d, 'Segment(52551-F2F42)'),
        isLeft: fc.boolean(),
      }),
      { maxLength: 120, size: 'max' },
    )
    .map((steps) =>
      steps.reduce(
        ({ source, inSet }, { operator, other, isLeft }) => {
          const isMember = other === a || other === c;
          const [left, right] = isLeft ? [isMember, inSet] : [inSet, isMember];
          return {
            source: isLeft ? `(${other} ${operator} ${source})` : `(${source} ${operator} ${other})`,
            inSet: operator === '+' ? left || right : operator === '*' ? left && right : left && !right,
          };
        },
        { source: a, inSet: true },
      ),
    );

  const nothing = new Uint8Array();

  const isInSet = ({ node }: Expression): boolean => {
    switch (node?.$case) {
      case 'all':
        return node.value.of.every(isInSet);
      case 'any':
        return node.value.of.some(isInSet);
      case 'not':
        return !isInSet(node.value);
      default:
        return node?.$case === 'tag' && node.value.tag % 2 === 1;
    }
  };

  it('has the meaning of its sets, and can be decoded from the deepest message that contains it', () => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(expressions, ({ source, inSet }) => {
        const reason = refusal(source);
        outcomes.add(reason.replace(/\d+$/, ''));
        if (reason !== '') return;
        const expression = compile(parse(source), meanings);
        expect(isInSet(expression)).toBe(inSet);
        const target = {
          $case: 'selection',
          value: { expression, circle: undefined, activity: '', bySiblings: false },
        } as const;
        const message = { ...MessageAccepted.decode(nothing), audience: { target, platforms: [] } };
        const event = { $case: 'joined', value: { bucket: 1, cause: 'x', message } } as const;
        const bytes = MessageEvent.encode({ ...MessageEvent.decode(nothing), event }).finish();
        expect(MessageEvent.decode(bytes).event).toEqual(event);
      }),
      { numRuns: 300 },
    );
    expect(outcomes).toEqual(new Set(['', 'nested too deeply at position ']));
  });
});
