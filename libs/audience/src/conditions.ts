import { type DateOperand, type Expression, type Operand, Operator, TagType } from '@tidings/events';
import { parseDate, Refusal } from '@tidings/kernel';
import { defaultTags, type TagDefinition } from './default-tags.ts';
import { DAY_MS, MINUTE_MS } from './tags/date.ts';
import { typeName } from './tags/operations.ts';
import { parseValue, plainText } from './tags/value.ts';
import { versionKey } from './tags/version.ts';

export interface ConditionInput {
  readonly tag: string;
  readonly operator: string;
  readonly operand: unknown;
}

const MAX_OPERANDS = 10_000;

const { OPERATOR_EQ, OPERATOR_IN, OPERATOR_NOTEQ, OPERATOR_NOTIN, OPERATOR_GTE, OPERATOR_LTE, OPERATOR_BETWEEN } =
  Operator;

const operators: ReadonlyMap<string, Operator> = new Map([
  ['EQ', OPERATOR_EQ],
  ['IN', OPERATOR_IN],
  ['NOTEQ', OPERATOR_NOTEQ],
  ['NOTIN', OPERATOR_NOTIN],
  ['GTE', OPERATOR_GTE],
  ['LTE', OPERATOR_LTE],
  ['BETWEEN', OPERATOR_BETWEEN],
]);

const ordered: readonly Operator[] = [...operators.values()];

const validOperators: Readonly<Record<TagType, readonly Operator[]>> = {
  [TagType.TAG_TYPE_UNSPECIFIED]: [],
  [TagType.TAG_TYPE_INTEGER]: ordered,
  [TagType.TAG_TYPE_DECIMAL]: ordered,
  [TagType.TAG_TYPE_VERSION]: ordered,
  [TagType.TAG_TYPE_DATE]: ordered,
  [TagType.TAG_TYPE_STRING]: [OPERATOR_EQ, OPERATOR_IN, OPERATOR_NOTEQ, OPERATOR_NOTIN],
  [TagType.TAG_TYPE_BOOLEAN]: [OPERATOR_EQ],
  [TagType.TAG_TYPE_LIST]: [OPERATOR_IN, OPERATOR_EQ],
};

const takesDaysAgo = (operator: Operator): boolean =>
  operator === OPERATOR_EQ || operator === OPERATOR_BETWEEN || operator === OPERATOR_GTE || operator === OPERATOR_LTE;

const DAYS_AGO = /^(\d{1,6}) days? ago$/i;

function dateOperand(operator: Operator, input: unknown): DateOperand | undefined {
  const ago = typeof input === 'string' ? DAYS_AGO.exec(input) : null;
  if (ago) return takesDaysAgo(operator) ? { atMs: 0n, wholeDay: true, daysAgo: Number(ago[1]) } : undefined;
  const date = parseDate(input);
  return date && { atMs: BigInt(Math.floor(date.ms)), wholeDay: date.wholeDay, daysAgo: undefined };
}

const UTC_OFFSET = /^UTC([+-])(0\d|1[0-4]):([0-5]\d)$/i;

function offsetSeconds(input: unknown): unknown {
  const offset = typeof input === 'string' ? UTC_OFFSET.exec(input) : null;
  if (!offset) return input;
  const [, sign, hours, minutes] = offset;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

function operandOf(type: TagType, operator: Operator, input: unknown): Operand | undefined {
  if (type === TagType.TAG_TYPE_DATE) {
    const date = dateOperand(operator, input);
    return date && { value: { $case: 'date', value: date } };
  }
  if (type === TagType.TAG_TYPE_LIST || type === TagType.TAG_TYPE_STRING) {
    const text = plainText(input);
    return text === undefined ? undefined : { value: { $case: 'text', value: text } };
  }
  const value = parseValue(type, input);
  switch (value?.$case) {
    case 'number':
    case 'integer':
    case 'flag':
      return { value };
    case 'version':
      return { value: { $case: 'text', value: versionKey(value.value) } };
    default:
      return undefined;
  }
}

const floor = (ms: number, unit: number): number => Math.floor(ms / unit) * unit;

function span({ daysAgo, atMs, wholeDay }: DateOperand, now: number): readonly [number, number] {
  const unit = wholeDay ? DAY_MS : MINUTE_MS;
  const from = daysAgo === undefined ? floor(Number(atMs), unit) : floor(now, DAY_MS) - daysAgo * DAY_MS;
  return [from, from + unit - 1];
}

function areInOrder({ value: min }: Operand, { value: max }: Operand, now: number): boolean {
  if (min?.$case === 'date' && max?.$case === 'date') return span(min.value, now)[0] <= span(max.value, now)[1];
  return min !== undefined && max !== undefined && min.value <= max.value;
}

function inputsOf(operator: Operator, operand: unknown): readonly unknown[] | undefined {
  switch (operator) {
    case OPERATOR_IN:
    case OPERATOR_NOTIN:
      return Array.isArray(operand) && operand.length > 0 ? (operand as unknown[]) : undefined;
    case OPERATOR_BETWEEN:
      return Array.isArray(operand) && operand.length === 2 ? (operand as unknown[]) : undefined;
    default:
      return [operand];
  }
}

/** EQ on a List becomes IN. @throws Refusal @param now orders a BETWEEN with "N days ago" */
export function tagCondition(tag: TagDefinition, operatorText: string, operand: unknown, now: number): Expression {
  const operator = operators.get(operatorText.toUpperCase());
  const type = typeName(tag.type);
  if (operator === undefined || !validOperators[tag.type].includes(operator)) {
    throw new Refusal(`operator ${operatorText.toUpperCase()} is not valid for ${type} tag`);
  }
  const given = inputsOf(operator, operand);
  const inputs = tag.number === defaultTags.timezone.number ? given?.map(offsetSeconds) : given;
  if (inputs && inputs.length > MAX_OPERANDS) throw new Refusal(`at most ${MAX_OPERANDS} values`);
  const operands = inputs?.map((input) => operandOf(tag.type, operator, input));
  const wrong = (): Refusal => new Refusal(`wrong operand for ${type} tag`);
  if (!operands?.every((each) => each !== undefined)) throw wrong();
  if (operator === OPERATOR_BETWEEN && !areInOrder(operands[0]!, operands[1]!, now)) throw wrong();
  const asList = tag.type === TagType.TAG_TYPE_LIST;
  const value = {
    tag: tag.number,
    type: tag.type,
    operator: asList ? OPERATOR_IN : operator,
    operands,
    application: '',
  };
  return { node: { $case: 'tag', value } };
}

const MAX_DAYS = 999_999;

/** `gt` 3 = its UTC day is earlier than today minus 3 (R-RES15). @throws Refusal */
export function daysAgoCondition(tag: TagDefinition, comparison: string, days: string): Expression {
  const type = typeName(tag.type);
  if (tag.type !== TagType.TAG_TYPE_DATE) throw new Refusal(`operator DAYSAGO is not valid for ${type} tag`);
  const n = /^\d{1,6}$/.test(days) ? Number(days) : undefined;
  if (n === undefined || n >= MAX_DAYS) throw new Refusal(`wrong operand for ${type} tag`);
  const day = (operator: Operator, daysAgo: number): Expression => {
    const operands: Operand[] = [{ value: { $case: 'date', value: { atMs: 0n, wholeDay: true, daysAgo } } }];
    return { node: { $case: 'tag', value: { tag: tag.number, type: tag.type, operator, operands, application: '' } } };
  };
  switch (comparison.toUpperCase()) {
    case 'GT':
      return day(OPERATOR_LTE, n + 1);
    case 'GTE':
      return day(OPERATOR_LTE, n);
    case 'EQ':
      return day(OPERATOR_EQ, n);
    case 'LTE':
      return day(OPERATOR_GTE, n);
    case 'LT':
      // The day before would be -1 days ago if n is 0.
      return { node: { $case: 'all', value: { of: [day(OPERATOR_GTE, n), day(OPERATOR_NOTEQ, n)] } } };
    default:
      throw new Refusal(`operator DAYSAGO ${comparison.toUpperCase()} is not valid for ${type} tag`);
  }
}

/** @throws Refusal with the condition's position */
export function expressionOf(
  conditions: readonly ConditionInput[],
  operator: string,
  tagNamed: (name: string) => TagDefinition | undefined,
  now: number,
): Expression {
  const of = conditions.map(({ tag: name, operator: comparison, operand }, entry) => {
    const tag = tagNamed(name);
    if (!tag) throw new Refusal(`unknown tag "${name}"`, entry);
    try {
      return tagCondition(tag, comparison, operand, now);
    } catch (error) {
      throw error instanceof Refusal ? new Refusal(error.message, entry) : error;
    }
  });
  if (of.length === 1) return of[0]!;
  return { node: operator.toUpperCase() === 'OR' ? { $case: 'any', value: { of } } : { $case: 'all', value: { of } } };
}
