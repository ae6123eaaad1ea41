import { type DateOperand, type Operand, Operator, type TagCondition, TagType } from '@tidings/events';
import { exactInteger } from '@tidings/kernel';

/** A Version's order key, a Date in milliseconds, an Integer from `exactInteger`. */
export type Comparable = string | number | bigint | boolean;

export interface Range {
  readonly from?: string | number | bigint;
  readonly to?: string | number | bigint;
  readonly below?: number;
}

/** A complement requires that no value does (R-RES14). */
export interface Condition {
  readonly tag: number;
  readonly type: TagType;
  readonly complement: boolean;
  readonly values: readonly Comparable[];
  readonly ranges: readonly Range[];
}

export const deviceTraits = {
  platform: -1,
  token: -2,
} as const;

const FIRST_SIBLING_TRAIT = -3;

export const onPlatforms = (platforms: readonly number[], complement: boolean): Condition => ({
  tag: deviceTraits.platform,
  type: TagType.TAG_TYPE_INTEGER,
  complement,
  values: platforms,
  ranges: [],
});

export const withToken = (complement: boolean): Condition => ({
  tag: deviceTraits.token,
  type: TagType.TAG_TYPE_BOOLEAN,
  complement,
  values: [true],
  ranges: [],
});

export const onSibling = (leaf: number, complement: boolean): Condition => ({
  tag: FIRST_SIBLING_TRAIT - leaf,
  type: TagType.TAG_TYPE_BOOLEAN,
  complement,
  values: [true],
  ranges: [],
});

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const floor = (ms: number, unit: number): number => Math.floor(ms / unit) * unit;

function span(operand: DateOperand, now: Date): { readonly from: number; readonly below: number } {
  if (operand.daysAgo !== undefined) {
    const from = floor(now.getTime(), DAY_MS) - operand.daysAgo * DAY_MS;
    return { from, below: from + DAY_MS };
  }
  const unit = operand.wholeDay ? DAY_MS : MINUTE_MS;
  const from = floor(Number(operand.atMs), unit);
  return { from, below: from + unit };
}

type OperandCase = NonNullable<Operand['value']>['$case'];

const operandCases: Readonly<Partial<Record<TagType, readonly OperandCase[]>>> = {
  [TagType.TAG_TYPE_INTEGER]: ['number', 'integer'],
  [TagType.TAG_TYPE_DECIMAL]: ['number'],
  [TagType.TAG_TYPE_BOOLEAN]: ['flag'],
  [TagType.TAG_TYPE_DATE]: ['date'],
  [TagType.TAG_TYPE_STRING]: ['text'],
  [TagType.TAG_TYPE_LIST]: ['text'],
  [TagType.TAG_TYPE_VERSION]: ['text'],
};

const isComparable = ({ value }: Operand, type: TagType): boolean =>
  value !== undefined && operandCases[type]?.includes(value.$case) === true;

/** Earlier versions stored doubles. */
function exactOperand(operand: Operand): Operand {
  const { value } = operand;
  if (value?.$case !== 'number' && value?.$case !== 'integer') return operand;
  const exact = exactInteger(value.value);
  return { value: typeof exact === 'bigint' ? { $case: 'integer', value: exact } : { $case: 'number', value: exact } };
}

type Comparison = Pick<Condition, 'values' | 'ranges'>;

function equal(operands: readonly Operand[], now: Date): Comparison {
  const values: Comparable[] = [];
  const ranges: Range[] = [];
  for (const { value } of operands) {
    if (value?.$case === 'date') ranges.push(span(value.value, now));
    else if (value) values.push(value.value);
  }
  return { values, ranges };
}

const isOrdered = (type: TagType): boolean =>
  type === TagType.TAG_TYPE_INTEGER ||
  type === TagType.TAG_TYPE_DECIMAL ||
  type === TagType.TAG_TYPE_DATE ||
  type === TagType.TAG_TYPE_VERSION;

type End = Extract<Operand['value'], { $case: 'number' | 'integer' | 'text' }>;

const isEnd = (value: Operand['value']): value is End =>
  value?.$case === 'number' || value?.$case === 'integer' || value?.$case === 'text';

function lowerEnd({ value }: Operand, now: Date): Range {
  if (value?.$case === 'date') return { from: span(value.value, now).from };
  return isEnd(value) ? { from: value.value } : {};
}

function upperEnd({ value }: Operand, now: Date): Range {
  if (value?.$case === 'date') return { below: span(value.value, now).below };
  return isEnd(value) ? { to: value.value } : {};
}

const inRange = (range: Range): Comparison => ({ values: [], ranges: [range] });

function ordered(operator: Operator, first: Operand, second: Operand | undefined, now: Date): Comparison | undefined {
  switch (operator) {
    case Operator.OPERATOR_GTE:
      return inRange(lowerEnd(first, now));
    case Operator.OPERATOR_LTE:
      return inRange(upperEnd(first, now));
    case Operator.OPERATOR_BETWEEN:
      return second && inRange({ ...lowerEnd(first, now), ...upperEnd(second, now) });
    default:
      return undefined;
  }
}

function comparisonOf({ type, operator, operands: given }: TagCondition, now: Date): Comparison | undefined {
  const operands = type === TagType.TAG_TYPE_INTEGER ? given.map(exactOperand) : given;
  const [first, second] = operands;
  if (!first || !operands.every((operand) => isComparable(operand, type))) return undefined;
  switch (operator) {
    case Operator.OPERATOR_EQ:
    case Operator.OPERATOR_NOTEQ:
    case Operator.OPERATOR_IN:
    case Operator.OPERATOR_NOTIN:
      return equal(operands, now);
    default:
      return isOrdered(type) ? ordered(operator, first, second, now) : undefined;
  }
}

export function conditionOf(condition: TagCondition, now: Date, negated: boolean): Condition | undefined {
  const { tag, type, operator } = condition;
  const found = comparisonOf(condition, now);
  const complement = operator === Operator.OPERATOR_NOTEQ || operator === Operator.OPERATOR_NOTIN;
  return found && { tag, type, complement: complement !== negated, ...found };
}

const isOfKind = (value: Comparable, end: string | number | bigint): boolean =>
  typeof value === typeof end ||
  (typeof value === 'bigint' && typeof end === 'number') ||
  (typeof value === 'number' && typeof end === 'bigint');

const isWithin = (value: Comparable, { from, to, below }: Range): boolean =>
  (from === undefined || (isOfKind(value, from) && value >= from)) &&
  (to === undefined || (isOfKind(value, to) && value <= to)) &&
  (below === undefined || (typeof value === 'number' && value < below));

/** A linear search is faster than a set. */
const FEW = 8;

export function tester(condition: Condition): (values: readonly Comparable[]) => boolean {
  const { complement, ranges } = condition;
  const listed = condition.values.length > FEW ? new Set(condition.values) : undefined;
  const isListed = (value: Comparable): boolean => (listed ? listed.has(value) : condition.values.includes(value));
  return (values) => {
    for (const value of values) {
      if (isListed(value)) return !complement;
      for (const range of ranges) if (isWithin(value, range)) return !complement;
    }
    return complement;
  };
}
