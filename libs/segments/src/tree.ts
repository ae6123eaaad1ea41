import type { Expression, TagCondition } from '@tidings/events';

/**
 * Maximum depth of an expression. Protobuf decoding is limited to 100 levels: a node takes two of them, a condition with its contents four, and the
 * message and the event that contain the expression take others.
 */
export const MAX_DEPTH = 40;

/** The number of a tag that no device has. */
const NO_TAG = 0;

/** Joins expressions into one. Parts of the same kind are flattened, so that the result is no deeper than a join of two. */
export function joined(kind: 'all' | 'any', parts: readonly Expression[]): Expression {
  const of = parts.flatMap((part) => (part.node?.$case === kind ? part.node.value.of : [part]));
  return { node: { $case: kind, value: { of } } };
}

/** Maximum number of nested nodes. */
export function depthOf({ node }: Expression): number {
  switch (node?.$case) {
    case 'all':
    case 'any':
      return 1 + node.value.of.reduce((deepest, each) => Math.max(deepest, depthOf(each)), 0);
    case 'not':
      return 1 + depthOf(node.value);
    default:
      return 1;
  }
}

/** The conditions of an expression on tags. */
function tagConditionsIn({ node }: Expression): readonly TagCondition[] {
  switch (node?.$case) {
    case 'all':
    case 'any':
      return node.value.of.flatMap(tagConditionsIn);
    case 'not':
      return tagConditionsIn(node.value);
    case 'tag':
      return [node.value];
    default:
      return [];
  }
}

/** The numbers of the tags that an expression has conditions on. */
export const tagsIn = (expression: Expression): ReadonlySet<number> =>
  new Set(tagConditionsIn(expression).map(({ tag }) => tag));

/** The applications that conditions on tags are restricted to. */
export const applicationsOfTags = (expression: Expression): ReadonlySet<string> =>
  new Set(tagConditionsIn(expression).flatMap(({ application }) => (application === '' ? [] : [application])));

/** An earlier expression with the current tags: conditions on deleted tags see devices without a value (R-D2). */
export function renewed(expression: Expression, hasTag: (tag: number) => boolean): Expression {
  const { node } = expression;
  switch (node?.$case) {
    case 'all':
    case 'any':
      return joined(
        node.$case,
        node.value.of.map((each) => renewed(each, hasTag)),
      );
    case 'not':
      return { node: { $case: 'not', value: renewed(node.value, hasTag) } };
    case 'tag':
      return hasTag(node.value.tag) ? expression : { node: { $case: 'tag', value: { ...node.value, tag: NO_TAG } } };
    default:
      return expression;
  }
}
