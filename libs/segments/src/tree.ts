import type { Expression } from '@tidings/events';

/**
 * How deep an expression may be: what holds one, a message in an event at the deepest, is decoded in 100 levels, of which a node takes two and
 * a condition with what stands in it four.
 */
export const MAX_DEPTH = 40;

/** The number of a tag that no device has. */
const NO_TAG = 0;

/** Several in one; those of the kind are taken apart, so that what is in all or any of many is as deep as what is in two. */
export function joined(kind: 'all' | 'any', parts: readonly Expression[]): Expression {
  const of = parts.flatMap((part) => (part.node?.$case === kind ? part.node.value.of : [part]));
  return { node: { $case: kind, value: { of } } };
}

/** How many nodes stand below each other, at most. */
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

/** The numbers of the tags that an expression has conditions on. */
export function tagsIn(expression: Expression, found = new Set<number>()): ReadonlySet<number> {
  const { node } = expression;
  if (node?.$case === 'tag') found.add(node.value.tag);
  if (node?.$case === 'not') tagsIn(node.value, found);
  if (node?.$case === 'all' || node?.$case === 'any') for (const each of node.value.of) tagsIn(each, found);
  return found;
}

/** What an expression of earlier means now: what it asks of a tag that is gone is asked of devices without a value (R-D2). */
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
