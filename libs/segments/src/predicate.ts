import type { Expression, TagCondition, TagType } from '@tidings/events';
import {
  type Comparable,
  type Condition,
  conditionOf,
  onPlatforms,
  onSibling,
  tester,
  withToken,
} from './condition.ts';

/** In the order of the predicate's tags; empty for unset ones. */
export type TagValues = readonly (readonly Comparable[])[];

export interface PredicateTag {
  readonly tag: number;
  readonly type: TagType;
}

export interface Viewpoint {
  readonly now: Date;
  readonly application: string;
  /** Tags of siblings match by hwid (R-O5). @default false */
  readonly bySiblings?: boolean | undefined;
}

export interface Predicate {
  readonly tags: readonly PredicateTag[];
  matches(values: TagValues): boolean;
  readonly siblings?: SiblingConditions;
}

export interface SiblingConditions {
  readonly conditions: readonly SiblingCondition[];
  decide(values: TagValues): boolean;
}

export interface SiblingCondition {
  readonly application: string;
  readonly condition: Condition;
  readonly trait: number;
}

interface Leaf {
  readonly kind: 'leaf';
  readonly leaf: number;
  readonly condition: Condition;
  readonly sibling?: SiblingCondition;
}

export type Node = { readonly kind: 'all' | 'any'; readonly of: readonly Node[] } | Leaf;

const matchAll: Node = { kind: 'all', of: [] };
const matchNone: Node = { kind: 'any', of: [] };

const isConstant = (node: Node): boolean => node.kind !== 'leaf' && node.of.length === 0;

function joined(kind: 'all' | 'any', nodes: readonly Node[]): Node {
  const deciding = nodes.find((node) => isConstant(node) && node.kind !== kind);
  if (deciding) return deciding;
  const of = nodes.filter((node) => !isConstant(node));
  return of.length === 1 ? of[0]! : { kind, of };
}

function siblingLeaf({ leaf, condition }: Leaf, application: string, negated: boolean): Node {
  const of = onSibling(leaf, negated);
  return { kind: 'leaf', leaf, condition: of, sibling: { application, condition, trait: of.tag } };
}

/** A missing expression matches everyone; an invalid node, or its negation, nobody: errors must never enlarge an audience. */
export function resolve(expression: Expression | undefined, { now, application, bySiblings }: Viewpoint): Node {
  if (!expression) return matchAll;
  let leaves = 0;
  const leaf = (condition: Condition | undefined): Node => {
    const number = leaves++;
    return condition ? { kind: 'leaf', leaf: number, condition } : matchNone;
  };
  const otherApplication = (negated: boolean): Node => (negated ? matchAll : matchNone);
  const tag = (condition: TagCondition, negated: boolean): Node => {
    const isHere = condition.application === '' || condition.application === application;
    // Devices without a sibling belong to the complement.
    const found = leaf(conditionOf(condition, now, isHere && negated));
    if (isHere || found.kind !== 'leaf') return found;
    return bySiblings ? siblingLeaf(found, condition.application, negated) : otherApplication(negated);
  };
  const visit = ({ node }: Expression, negated: boolean): Node => {
    switch (node?.$case) {
      case 'all':
      case 'any': {
        const parts = node.value.of.map((each) => visit(each, negated));
        return joined((node.$case === 'all') === negated ? 'any' : 'all', parts);
      }
      case 'not':
        return visit(node.value, !negated);
      case 'tag':
        return tag(node.value, negated);
      case 'application': {
        const { platforms, withToken: needsToken } = node.value;
        const parts = [leaf(onPlatforms(platforms, negated)), leaf(withToken(negated))];
        if (node.value.application !== application) return otherApplication(negated);
        const applicable = parts.filter((_, i) => (i === 0 ? platforms.length > 0 : needsToken));
        return joined(negated ? 'any' : 'all', applicable);
      }
      case undefined:
        return matchNone;
    }
  };
  return visit(expression, false);
}

export function canMatch(expression: Expression | undefined, viewpoint: Viewpoint): boolean {
  const root = resolve(expression, viewpoint);
  return root.kind !== 'any' || root.of.length > 0;
}

export function leavesOf(node: Node): readonly Omit<Leaf, 'kind'>[] {
  return node.kind === 'leaf' ? [node] : node.of.flatMap(leavesOf);
}

export function tagSlots(conditions: readonly Condition[]): {
  readonly tags: readonly PredicateTag[];
  readonly slots: ReadonlyMap<number, number>;
} {
  const slots = new Map<number, number>();
  const tags: PredicateTag[] = [];
  for (const { tag, type } of conditions) {
    if (slots.has(tag)) continue;
    slots.set(tag, tags.length);
    tags.push({ tag, type });
  }
  return { tags, slots };
}

export function predicateOf(root: Node): Predicate {
  const leaves = leavesOf(root);
  const { tags, slots } = tagSlots(leaves.map(({ condition }) => condition));
  const compile = (node: Node, assumed?: boolean): ((values: TagValues) => boolean) => {
    if (node.kind === 'leaf') {
      if (node.sibling && assumed !== undefined) return () => assumed;
      const slot = slots.get(node.condition.tag)!;
      const meets = tester(node.condition);
      return (values) => meets(values[slot] ?? []);
    }
    const parts = node.of.map((each) => compile(each, assumed));
    return node.kind === 'all'
      ? (values) => parts.every((part) => part(values))
      : (values) => parts.some((part) => part(values));
  };
  const predicate = { tags, matches: compile(root) };
  const conditions = leaves.flatMap(({ sibling }) => sibling ?? []);
  if (conditions.length === 0) return predicate;
  // Complements are in the leaves, so the tree is monotonic.
  const [couldMatch, mustMatch] = [compile(root, true), compile(root, false)];
  return { ...predicate, siblings: { conditions, decide: (values) => couldMatch(values) && !mustMatch(values) } };
}

export const compilePredicate = (expression: Expression | undefined, viewpoint: Viewpoint): Predicate =>
  predicateOf(resolve(expression, viewpoint));
