import type { z } from 'zod';
import { applicationCode } from '../fields/application.ts';
import { CONDITIONS_OPERATOR } from '../messages/conditions.ts';
import { alternative } from '../presence.ts';
import { parseWithin } from '../forward.ts';
import { array, boolean, identity, isObject, listOf, object, oneOf, optional, text, unchecked } from '../values.ts';
import { snakeCased } from './snake-case.ts';

export type FilterCondition = { readonly negated: boolean } & (
  | {
      readonly kind: 'tag';
      readonly application: string;
      readonly name: string;
      readonly operator: string;
      readonly value: unknown;
    }
  | {
      readonly kind: 'application';
      readonly code: string;
      readonly platforms: readonly string[];
      readonly withTokens: boolean;
    }
  | { readonly kind: 'segment'; readonly code: string }
  | { readonly kind: 'group'; readonly of: StructuredFilter }
);

export interface StructuredFilter {
  readonly any: boolean;
  readonly negated: boolean;
  readonly conditions: readonly FilterCondition[];
}

const scalarSchema = { type: ['string', 'number', 'boolean'] };
const operandSchema = { anyOf: [scalarSchema, { type: 'array', items: scalarSchema }] };

const MAX_CONDITIONS = 100;

const tag = object({
  application: optional(applicationCode).describe('Code of the application whose devices have the tag; left out: any.'),
  name: identity.describe('Name of the tag.'),
  operator: text.describe('EQ, NOTEQ, IN, NOTIN, GTE, LTE or BETWEEN.'),
  value: unchecked(operandSchema).describe('The operand, or a list of operands.'),
});
const application = object({
  code: applicationCode.describe('Code of the application.'),
  platforms: optional(array(text)).describe('Platforms of the devices by name, such as `iOS`; left out: all.'),
  with_tokens: optional(boolean).describe('Whether only devices with a push token are meant.'),
});

const condition = object({
  tag: alternative(tag).describe('A comparison of a tag.'),
  application: alternative(application).describe('Devices of an application.'),
  segment: alternative(object({ code: identity.describe('Code of the segment.') })).describe('Another segment.'),
  group: alternative(unchecked({ type: 'object' })).describe('A filter within the filter.'),
  negated: optional(boolean).describe('Whether devices that do not match are meant.'),
}).transform((given, context): FilterCondition => {
  const kinds = (['tag', 'application', 'segment', 'group'] as const).filter((kind) => given[kind] !== undefined);
  const negated = given.negated === true;
  if (kinds.length !== 1) {
    const message = 'exactly one of tag, application, segment, group is required';
    context.issues.push({ code: 'custom', message, input: given });
  }
  if (given.tag) {
    const { application: code = '', ...of } = given.tag;
    return { kind: 'tag', negated, application: code, ...of };
  }
  if (given.application) {
    const { code, platforms = [], with_tokens: withTokens = false } = given.application;
    return { kind: 'application', negated, code, platforms, withTokens };
  }
  if (given.segment) return { kind: 'segment', negated, code: given.segment.code };
  return { kind: 'group', negated, of: groupOf(given.group, context) };
});

const MATCHES_NONE: StructuredFilter = { any: true, negated: false, conditions: [] };

/** Checked by hand: a schema that contains itself cannot be compiled. */
function groupOf(given: unknown, context: z.core.ParsePayload): StructuredFilter {
  const value = isObject(given) ? snakeCased(filter, given) : given;
  return parseWithin(filter, value, context, ['group']) ?? MATCHES_NONE;
}

export const filter: z.ZodType<StructuredFilter> = object({
  operator: optional(oneOf(['AND', 'OR'])).describe(CONDITIONS_OPERATOR),
  negated: optional(boolean).describe('Whether devices that do not match are meant.'),
  conditions: listOf(condition, MAX_CONDITIONS).describe(
    'Conditions, each with one of `tag`, `application`, `segment` and `group`.',
  ),
}).transform((given) => ({
  any: given.operator === 'OR',
  negated: given.negated === true,
  conditions: given.conditions,
}));
