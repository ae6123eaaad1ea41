import type { Expression, TagType } from '@tidings/events';
import { type Comparable, type Condition, meaningOf, meets } from './condition.ts';

/** What a device has for the tags that a predicate asks for: an entry per tag, in the predicate's order, empty where it is unset. */
export type TagValues = readonly (readonly Comparable[])[];

/** A tag whose values a predicate needs. */
export interface WantedTag {
  readonly tag: number;
  readonly type: TagType;
}

/** An expression at one moment, ready to be asked for many devices. */
export interface Predicate {
  /** The tags that it asks for, each once. */
  readonly tags: readonly WantedTag[];
  matches(values: TagValues): boolean;
}

/** An expression with its conditions resolved; the leaves are numbered from 0 in the order of writing. */
export type Node =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Node[] }
  | { readonly kind: 'leaf'; readonly leaf: number; readonly condition: Condition };

/** A kind of node that is not known here: like a condition without meaning, nobody meets it. */
const nobody: Node = { kind: 'any', of: [] };

/** Resolves "N days ago" with `now`. No expression at all is met by everyone. */
export function resolve(expression: Expression | undefined, now: Date): Node {
  if (!expression) return { kind: 'all', of: [] };
  let leaves = 0;
  const visit = ({ node }: Expression): Node => {
    switch (node?.$case) {
      case 'all':
        return { kind: 'all', of: node.value.of.map(visit) };
      case 'any':
        return { kind: 'any', of: node.value.of.map(visit) };
      case 'tag':
        return { kind: 'leaf', leaf: leaves++, condition: meaningOf(node.value, now) };
      case undefined:
        return nobody;
    }
  };
  return visit(expression);
}

/** The leaves of a node, by their numbers. */
export function leavesOf(node: Node): readonly { readonly leaf: number; readonly condition: Condition }[] {
  return node.kind === 'leaf' ? [node] : node.of.flatMap(leavesOf);
}

export function predicateOf(root: Node): Predicate {
  const slots = new Map<number, number>();
  const tags: WantedTag[] = [];
  for (const { condition } of leavesOf(root)) {
    if (slots.has(condition.tag)) continue;
    slots.set(condition.tag, tags.length);
    tags.push({ tag: condition.tag, type: condition.type });
  }
  const compile = (node: Node): ((values: TagValues) => boolean) => {
    if (node.kind === 'leaf') {
      const slot = slots.get(node.condition.tag)!;
      return (values) => meets(values[slot] ?? [], node.condition);
    }
    const parts = node.of.map(compile);
    return node.kind === 'all'
      ? (values) => parts.every((part) => part(values))
      : (values) => parts.some((part) => part(values));
  };
  return { tags, matches: compile(root) };
}

/** The expression as a predicate over devices, in memory (R-RES12 to R-RES16). */
export const compilePredicate = (expression: Expression | undefined, now: Date): Predicate =>
  predicateOf(resolve(expression, now));
