import { z } from 'zod';
import { array, identity, oneOf, optional, text, unchecked } from '../values.ts';

export interface TagCondition {
  readonly tag: string;
  readonly operator: string;
  readonly operand: unknown;
}

const MAX_CONDITIONS = 100;

const scalarSchema = { type: ['string', 'number', 'boolean'] };
export const conditionSchema = {
  type: 'array',
  constraint: '[tag, operator, operand]',
  prefixItems: [
    { type: 'string' },
    { type: 'string' },
    { anyOf: [scalarSchema, { type: 'array', items: scalarSchema }] },
  ],
  minItems: 3,
  maxItems: 3,
};

export const CONDITIONS =
  'Comparisons of tags that select devices, each as `[tag, operator, operand]`. Operators: EQ, NOTEQ, IN, NOTIN, ' +
  'GTE, LTE, BETWEEN. Integers are compared exactly, up to 64 bits.';

export const CONDITIONS_OPERATOR = 'Whether all conditions must hold (`AND`, the default) or at least one (`OR`).';

const conditionsSchema = {
  type: 'array',
  description: CONDITIONS,
  minItems: 1,
  maxItems: MAX_CONDITIONS,
  items: conditionSchema,
};

const condition = z
  .custom<readonly [unknown, unknown, unknown]>((value) => Array.isArray(value) && value.length === 3, {
    error: 'must be [tag, operator, operand]',
    abort: true,
  })
  .pipe(z.tuple([identity, text, z.unknown()]))
  .transform(([tag, operator, operand]): TagCondition => ({ tag, operator: operator.toUpperCase(), operand }));

const bareTriple = (value: unknown): unknown =>
  Array.isArray(value) && typeof value[0] === 'string' ? [value] : value;

/** Ignored unchecked where others select the recipients (R-I3). */
export const conditionFields = {
  conditions: optional(unchecked(conditionsSchema)),
  conditions_operator: optional(unchecked({ type: 'string', constraint: 'AND or OR, in any case' })).describe(
    CONDITIONS_OPERATOR,
  ),
};

/** A bare triple counts as a list of one (R-RES16). */
export const conditions = z
  .unknown()
  .transform(bareTriple)
  .pipe(array(condition).min(1, 'must not be empty').max(MAX_CONDITIONS, `at most ${MAX_CONDITIONS} entries`));

export const conditionsOperator = text.transform((word) => word.toUpperCase()).pipe(oneOf(['AND', 'OR']));
