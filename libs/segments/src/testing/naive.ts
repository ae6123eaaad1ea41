import { type DateOperand, type Expression, type Operand, Operator, TagType } from '@tidings/events';
import { type SampleDevice, sampleNow, sampleViewpoint, valuesOf } from './arbitraries.ts';

type Sample = Omit<SampleDevice, 'app' | 'seq'>;

export type Siblings = ReadonlyMap<string, Sample>;

const DAY_MS = 86_400_000;

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const minute = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

/** They sort like the dates. */
function asTexts(value: number, { atMs, wholeDay, daysAgo }: DateOperand): [string, string] {
  if (daysAgo !== undefined) return [day(value), day(sampleNow.getTime() - daysAgo * DAY_MS)];
  return wholeDay ? [day(value), day(Number(atMs))] : [minute(value), minute(Number(atMs))];
}

function compare(value: string | number | bigint | boolean, operand: Operand): number | undefined {
  const operandValue = operand.value;
  const pair =
    operandValue?.$case === 'date' ? asTexts(Number(value), operandValue.value) : [value, operandValue?.value];
  const [left, right] = pair as [string, string];
  const areNumbers = [left, right].every((each) => typeof each === 'number' || typeof each === 'bigint');
  return areNumbers || typeof left === typeof right ? (left < right ? -1 : Number(left > right)) : undefined;
}

const fits: Record<NonNullable<Operand['value']>['$case'], readonly TagType[]> = {
  number: [TagType.TAG_TYPE_INTEGER, TagType.TAG_TYPE_DECIMAL],
  integer: [TagType.TAG_TYPE_INTEGER],
  flag: [TagType.TAG_TYPE_BOOLEAN],
  date: [TagType.TAG_TYPE_DATE],
  text: [TagType.TAG_TYPE_STRING, TagType.TAG_TYPE_LIST, TagType.TAG_TYPE_VERSION],
};
const unordered: readonly TagType[] = [TagType.TAG_TYPE_STRING, TagType.TAG_TYPE_LIST, TagType.TAG_TYPE_BOOLEAN];
const ordering: readonly Operator[] = [Operator.OPERATOR_GTE, Operator.OPERATOR_LTE, Operator.OPERATOR_BETWEEN];

const memberOf = (application: string, device: Sample, siblings: Siblings | undefined): Sample | undefined =>
  application === '' || application === sampleViewpoint.application ? device : siblings?.get(application);

/** Undefined if an invalid node determines the result. */
type Membership = boolean | undefined;

function tagMembership(
  condition: Extract<NonNullable<Expression['node']>, { $case: 'tag' }>['value'],
  evaluated: Sample,
  siblings: Siblings | undefined,
): Membership {
  const { tag, type, operator, operands, application } = condition;
  if (!operands.every(({ value }) => value && fits[value.$case].includes(type))) return undefined;
  if (ordering.includes(operator) && unordered.includes(type)) return undefined;
  const device = memberOf(application, evaluated, siblings);
  if (!device) return false;
  const some = (meets: (order: number | undefined, i: number) => boolean): boolean =>
    valuesOf(device, tag, type).some((value) => operands.some((operand, i) => meets(compare(value, operand), i)));
  switch (operator) {
    case Operator.OPERATOR_NOTEQ:
    case Operator.OPERATOR_NOTIN:
      return !some((order) => order === 0);
    case Operator.OPERATOR_GTE:
      return some((order) => order !== undefined && order >= 0);
    case Operator.OPERATOR_LTE:
      return some((order) => order !== undefined && order <= 0);
    case Operator.OPERATOR_BETWEEN:
      return valuesOf(device, tag, type).some(
        (value) => compare(value, operands[0]!)! >= 0 && compare(value, operands[1]!)! <= 0,
      );
    default:
      return some((order) => order === 0);
  }
}

/** A direct implementation of the set operators, as a reference. */
export function isInSet(expression: Expression, device: Sample, siblings?: Siblings, inside = true): boolean {
  const { node } = expression;
  switch (node?.$case) {
    case 'all':
      return inside
        ? node.value.of.every((each) => isInSet(each, device, siblings))
        : node.value.of.some((each) => isInSet(each, device, siblings, false));
    case 'any':
      return inside
        ? node.value.of.some((each) => isInSet(each, device, siblings))
        : node.value.of.every((each) => isInSet(each, device, siblings, false));
    case 'not':
      return isInSet(node.value, device, siblings, !inside);
    case 'application': {
      const { application, platforms, withToken } = node.value;
      const isMember =
        application === sampleViewpoint.application &&
        (platforms.length === 0 || platforms.includes(device.platform ?? 0)) &&
        (!withToken || device.token !== undefined);
      return isMember === inside;
    }
    case 'tag': {
      const membership = tagMembership(node.value, device, siblings);
      return membership !== undefined && membership === inside;
    }
    case undefined:
      return false;
  }
}
