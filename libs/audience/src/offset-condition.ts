import { type Expression, type OffsetRange, type Offsets, Operator } from '@tidings/events';
import { defaultTags } from './default-tags.ts';

const { number, type } = defaultTags.timezone;

const between = ({ from, to }: OffsetRange): Expression => ({
  node: {
    $case: 'tag',
    value: {
      tag: number,
      type,
      operator: Operator.OPERATOR_BETWEEN,
      operands: [from, to].map((seconds) => ({ value: { $case: 'number', value: seconds } })),
      application: '',
    },
  },
});

/** Wider than the offsets that devices can have (R-RES4). */
const ANY_OFFSET: OffsetRange = { from: -86_400, to: 86_400 };

const withoutOffset: Expression = { node: { $case: 'not', value: between(ANY_OFFSET) } };

export function offsetCondition({ ranges, without }: Offsets): Expression {
  const of = [...ranges.map(between), ...(without ? [withoutOffset] : [])];
  return of.length === 1 ? of[0]! : { node: { $case: 'any', value: { of } } };
}

export function withOffsets(expression: Expression | undefined, offsets: Offsets | undefined): Expression | undefined {
  if (!offsets) return expression;
  const condition = offsetCondition(offsets);
  return expression ? { node: { $case: 'all', value: { of: [expression, condition] } } } : condition;
}
