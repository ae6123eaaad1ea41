import { Operator } from '@tidings/events';
import { daysAgoCondition, expressionOf, type ConditionInput } from './conditions.ts';
import { defaultTags, type TagDefinition, tagNumber } from './default-tags.ts';
import { versionKey } from './tags/version.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const types = ['Integer', 'String', 'List', 'Date', 'Boolean', 'Decimal', 'Version'] as const;
const tags = new Map<string, TagDefinition>(
  types.map((name, i) => [name, { name, type: i + 1, number: tagNumber(i, i + 1, true), applicationSpecific: true }]),
);

const typed = (conditions: ConditionInput[], operator = '') =>
  expressionOf(conditions, operator, (name) => tags.get(name), NOW);
const one = (tag: string, operator: string, operand: unknown) => typed([{ tag, operator, operand }]).node;
const fault = (tag: string, operator: string, operand: unknown): string => {
  try {
    one(tag, operator, operand);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('conditions (R-RES12 to R-RES16)', () => {
  const ordered = ['EQ', 'IN', 'NOTEQ', 'NOTIN', 'BETWEEN', 'GTE', 'LTE'];
  const valid: Record<string, string[]> = {
    Integer: ordered,
    Decimal: ordered,
    Version: ordered,
    Date: ordered,
    String: ['EQ', 'IN', 'NOTEQ', 'NOTIN'],
    Boolean: ['EQ'],
    List: ['IN', 'EQ'],
  };
  const sample: Record<string, unknown> = {
    Integer: 1,
    Decimal: 1.5,
    Version: '1.0',
    Date: '2026-01-01',
    String: 'a',
    Boolean: true,
    List: 'a',
  };
  const operand = (type: string, operator: string): unknown => {
    if (operator === 'BETWEEN') return [sample[type], sample[type]];
    return operator.endsWith('IN') ? [sample[type]] : sample[type];
  };
  const pairs = types.flatMap((type) => [...ordered, 'LIKE'].map((operator) => [type, operator] as const));

  it.each(pairs)('accept only the operators of their type: %s %s', (type, operator) => {
    const expected = valid[type]!.includes(operator) ? '' : `operator ${operator} is not valid for ${type} tag`;
    expect(fault(type, operator, operand(type, operator))).toBe(expected);
    expect(fault(type, operator.toLowerCase(), operand(type, operator))).toBe(expected);
  });

  it.each<[string, string, unknown]>([
    ['Integer', 'EQ', 'x'],
    ['Integer', 'EQ', 1.5],
    ['Integer', 'EQ', [1]],
    ['Integer', 'EQ', null],
    ['Integer', 'IN', []],
    ['Integer', 'IN', 5],
    ['Integer', 'BETWEEN', [1]],
    ['Integer', 'BETWEEN', [2, 1]],
    ['Integer', 'BETWEEN', [1, 2, 3]],
    ['Date', 'EQ', 'someday'],
    ['Date', 'NOTEQ', '3 days ago'],
    ['Date', 'IN', ['3 days ago']],
    ['Date', 'BETWEEN', ['3 days ago', '5 days ago']],
    ['Date', 'BETWEEN', ['2026-01-16', '2026-01-15 23:59']],
    ['Date', 'BETWEEN', ['2026-01-15 12:01', '2026-01-15 12:00']],
    ['Boolean', 'EQ', 'yes'],
    ['Version', 'GTE', 'latest'],
    ['Version', 'BETWEEN', ['1.10', '1.9']],
    ['String', 'EQ', true],
    ['List', 'EQ', ['a', 'b']],
    ['List', 'IN', 'a'],
  ])('are refused with a wrong operand: %s %s %j', (tag, operator, given) =>
    expect(fault(tag, operator, given)).toBe(`wrong operand for ${tag} tag`),
  );

  it.each([
    ['2026-01-15 12:00', '2026-01-15'],
    ['2026-01-15', '2026-01-15'],
    ['2026-01-15', '2026-01-15 00:01'],
    ['2026-01-15 12:00:30', '2026-01-15 12:00:10'],
    ['2026-06-15 18:00', '0 days ago'],
  ])('may be BETWEEN %s and %s, since the maximum includes its whole day or minute', (min, max) =>
    expect(fault('Date', 'BETWEEN', [min, max])).toBe(''),
  );

  it.each([
    ['UTC+14:00', 50_400],
    ['UTC-12:00', -43_200],
    ['utc+05:30', 19_800],
    ['UTC+00:00', 0],
  ])('accept %s as an operand of Timezone only (R-RES13)', (operand, seconds) => {
    const timezone = () => defaultTags.timezone;
    const expressionFor = (given: unknown, operator: string) =>
      expressionOf([{ tag: 'Timezone', operator, operand: given }], '', timezone, NOW);
    expect(expressionFor(operand, 'EQ')).toEqual(expressionFor(seconds, 'EQ'));
    expect(expressionFor(['UTC-12:00', operand], 'BETWEEN')).toEqual(expressionFor([-43_200, seconds], 'BETWEEN'));
    expect(expressionFor([operand], 'NOTIN')).toEqual(expressionFor([seconds], 'NOTIN'));
    expect(fault('Integer', 'EQ', operand)).toMatch(/wrong operand for Integer tag$/);
    for (const wrong of ['UTC+15:00', 'UTC+1:00', 'UTC', '+01:00', 'UTC+01:60']) {
      expect(() => expressionFor(wrong, 'EQ')).toThrow('wrong operand for Integer tag');
    }
  });

  it.each([
    ['2026-01-15', true],
    ['2026-01-15 00:00', true],
    ['2026-01-15T00:00:00Z', true],
    ['2026-01-15T00:00+00:00', true],
    // Midnight elsewhere is a minute of a day of UTC.
    ['2026-01-15T00:00+02:00', false],
    ['2026-01-15T02:00+02:00', false],
    ['2026-01-15 00:01', false],
  ])('determine whether %s denotes a whole day: %j (R-RES15)', (operand, wholeDay) => {
    expect(one('Date', 'EQ', operand)).toMatchObject({ value: { operands: [{ value: { value: { wholeDay } } }] } });
  });

  it.each(['IN', 'NOTIN'])('may have at most 10,000 values with %s', (operator) => {
    const named = (count: number) => Array.from({ length: count }, (_, i) => i);
    expect(fault('Integer', operator, named(10_000))).toBe('');
    expect(fault('Integer', operator, named(10_001))).toBe('at most 10000 values');
  });

  it('have operands of the type of the tag', () => {
    const tag = (name: string, operator: Operator, operands: unknown[]) => ({
      $case: 'tag',
      value: {
        tag: tags.get(name)!.number,
        type: tags.get(name)!.type,
        operator,
        operands: operands.map((value) => ({ value })),
        application: '',
      },
    });
    expect(one('Integer', 'between', ['1', 2])).toEqual(
      tag('Integer', Operator.OPERATOR_BETWEEN, [
        { $case: 'number', value: 1 },
        { $case: 'number', value: 2 },
      ]),
    );
    expect(one('List', 'EQ', 'a')).toEqual(tag('List', Operator.OPERATOR_IN, [{ $case: 'text', value: 'a' }]));
    expect(one('String', 'IN', ['a', 5])).toEqual(
      tag('String', Operator.OPERATOR_IN, [
        { $case: 'text', value: 'a' },
        { $case: 'text', value: '5' },
      ]),
    );
    expect(one('Boolean', 'EQ', '0')).toEqual(tag('Boolean', Operator.OPERATOR_EQ, [{ $case: 'flag', value: false }]));
    expect(one('Version', 'GTE', '1.2')).toEqual(
      tag('Version', Operator.OPERATOR_GTE, [{ $case: 'text', value: versionKey('1.2') }]),
    );
    const date = (atMs: number, wholeDay: boolean, daysAgo?: number) => ({
      $case: 'date',
      value: { atMs: BigInt(atMs), wholeDay, daysAgo },
    });
    expect(one('Date', 'LTE', '2026-01-01 00:00')).toEqual(
      tag('Date', Operator.OPERATOR_LTE, [date(Date.UTC(2026, 0, 1), true)]),
    );
    expect(one('Date', 'LTE', '2026-01-01 00:00:30')).toEqual(
      tag('Date', Operator.OPERATOR_LTE, [date(Date.UTC(2026, 0, 1, 0, 0, 30), false)]),
    );
    expect(one('Date', 'LTE', 1767225660)).toEqual(tag('Date', Operator.OPERATOR_LTE, [date(1767225660000, false)]));
    expect(one('Date', 'BETWEEN', ['5 days ago', '1 day ago'])).toEqual(
      tag('Date', Operator.OPERATOR_BETWEEN, [date(0, true, 5), date(0, true, 1)]),
    );
  });

  it('are joined by AND or OR', () => {
    const two = [
      { tag: 'Integer', operator: 'EQ', operand: 1 },
      { tag: 'String', operator: 'EQ', operand: 'a' },
    ];
    expect(typed(two).node?.$case).toBe('all');
    expect(typed(two, 'or').node?.$case).toBe('any');
    expect(() => typed([...two, { tag: 'Nope', operator: 'EQ', operand: 1 }])).toThrow(
      expect.objectContaining({ message: 'unknown tag "Nope"', entry: 2 }) as Error,
    );
  });
});

describe('daysago (R-RES15)', () => {
  const ago = (comparison: string, days = '3', tag = 'Date') => {
    const { node } = daysAgoCondition(tags.get(tag)!, comparison, days);
    const conditions = node?.$case === 'all' ? node.value.of.map((each) => each.node) : [node];
    return conditions.map((each) => {
      const operand = each?.$case === 'tag' ? each.value.operands[0]?.value : undefined;
      const daysAgo = operand?.$case === 'date' ? operand.value.daysAgo : undefined;
      return each?.$case === 'tag' && [Operator[each.value.operator].slice('OPERATOR_'.length), daysAgo];
    });
  };

  it.each([
    ['gt', [['LTE', 4]]],
    ['GTE', [['LTE', 3]]],
    ['eq', [['EQ', 3]]],
    ['lte', [['GTE', 3]]],
    [
      'lt',
      [
        ['GTE', 3],
        ['NOTEQ', 3],
      ],
    ],
  ])('becomes conditions on the days before now: %s', (comparison, conditions) =>
    expect(ago(comparison)).toEqual(conditions),
  );

  it('is refused with another type, operator or operand', () => {
    expect(() => ago('gt', '3', 'Integer')).toThrow('operator DAYSAGO is not valid for Integer tag');
    expect(() => ago('near')).toThrow('operator DAYSAGO NEAR is not valid for Date tag');
    expect(() => ago('gt', '-1')).toThrow('wrong operand for Date tag');
  });
});
