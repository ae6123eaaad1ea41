import type { Expression, TagCondition } from '@tidings/events';

/** Protobuf decodes 100 levels: a node takes two, a condition four. */
export const MAX_DEPTH = 40;

const NO_TAG = 0;

export function joined(kind: 'all' | 'any', parts: readonly Expression[]): Expression {
  const of = parts.flatMap((part) => (part.node?.$case === kind ? part.node.value.of : [part]));
  return { node: { $case: kind, value: { of } } };
}

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

export const tagsIn = (expression: Expression): ReadonlySet<number> =>
  new Set(tagConditionsIn(expression).map(({ tag }) => tag));

export const applicationsOfTags = (expression: Expression): ReadonlySet<string> =>
  new Set(tagConditionsIn(expression).flatMap(({ application }) => (application === '' ? [] : [application])));

/** Conditions on deleted tags see no value (R-D2). */
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
