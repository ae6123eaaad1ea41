import type { Expression, TagCondition, TagType } from '@tidings/events';
import { type Comparable, type Condition, meaningOf, onPlatforms, onSibling, tester, withToken } from './condition.ts';

/** A device's values of the tags of a predicate: an entry per tag, in the predicate's order, empty for unset tags. */
export type TagValues = readonly (readonly Comparable[])[];

/** A tag whose values a predicate needs. */
export interface WantedTag {
  readonly tag: number;
  readonly type: TagType;
}

/** The time and the application that an expression is evaluated for. */
export interface Viewpoint {
  /** The time that "N days ago" counts from. */
  readonly now: Date;
  /** The application of the devices: conditions on other applications match none of them. */
  readonly application: string;
  /** Whether conditions on tags of other applications match the devices whose siblings there meet them (R-O5). @default false, they match none */
  readonly bySiblings?: boolean | undefined;
}

/** An expression resolved for a viewpoint, ready to test many devices. */
export interface Predicate {
  /** The tags of its conditions, without duplicates. */
  readonly tags: readonly WantedTag[];
  matches(values: TagValues): boolean;
  /** The conditions on siblings, whose results are values of traits; absent if it has none. */
  readonly siblings?: SiblingConditions;
}

/** Conditions on the devices with the same hwid in other applications. */
export interface SiblingConditions {
  readonly conditions: readonly SiblingCondition[];
  /** Whether the conditions decide if a device matches. Values are as in {@link Predicate.matches}; values of the conditions' traits are ignored. */
  decide(values: TagValues): boolean;
}

/** A condition on the device with the same hwid in another application. */
export interface SiblingCondition {
  readonly application: string;
  /** The condition on that device. */
  readonly condition: Condition;
  /** The trait of the evaluated device that is true if a sibling meets the condition; otherwise unset. */
  readonly trait: number;
}

interface Leaf {
  readonly kind: 'leaf';
  readonly leaf: number;
  readonly condition: Condition;
  /** Present if the condition is on a sibling's trait. */
  readonly sibling?: SiblingCondition;
}

/** An expression with resolved conditions; the leaves are numbered from 0 in written order. */
export type Node = { readonly kind: 'all' | 'any'; readonly of: readonly Node[] } | Leaf;

const everybody: Node = { kind: 'all', of: [] };
const nobody: Node = { kind: 'any', of: [] };

const isConstant = (node: Node): boolean => node.kind !== 'leaf' && node.of.length === 0;

/** Joins nodes, without neutral ones; constant if a single node decides. */
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

/**
 * Resolves "N days ago", applications and complements. A missing expression matches every device; an unknown or invalid node matches none, and
 * neither does its complement: a misinterpretation must never enlarge an audience.
 */
export function resolve(expression: Expression | undefined, { now, application, bySiblings }: Viewpoint): Node {
  if (!expression) return everybody;
  let leaves = 0;
  const leaf = (condition: Condition | undefined): Node => {
    const number = leaves++;
    return condition ? { kind: 'leaf', leaf: number, condition } : nobody;
  };
  const elsewhere = (negated: boolean): Node => (negated ? everybody : nobody);
  const tag = (asked: TagCondition, negated: boolean): Node => {
    const isHere = asked.application === '' || asked.application === application;
    // A sibling's condition describes a set: devices without a sibling belong to the complement.
    const found = leaf(meaningOf(asked, now, isHere && negated));
    if (isHere || found.kind !== 'leaf') return found;
    return bySiblings ? siblingLeaf(found, asked.application, negated) : elsewhere(negated);
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
        const { platforms, withToken: isTokenAsked } = node.value;
        const parts = [leaf(onPlatforms(platforms, negated)), leaf(withToken(negated))];
        if (node.value.application !== application) return elsewhere(negated);
        const asked = parts.filter((_, i) => (i === 0 ? platforms.length > 0 : isTokenAsked));
        return joined(negated ? 'any' : 'all', asked);
      }
      case undefined:
        return nobody;
    }
  };
  return visit(expression, false);
}

/** False if no possible device of the application can match the expression. */
export function canMatch(expression: Expression | undefined, viewpoint: Viewpoint): boolean {
  const root = resolve(expression, viewpoint);
  return root.kind !== 'any' || root.of.length > 0;
}

/** The leaves of a node, with their numbers. */
export function leavesOf(node: Node): readonly Omit<Leaf, 'kind'>[] {
  return node.kind === 'leaf' ? [node] : node.of.flatMap(leavesOf);
}

/** The tags of conditions without duplicates, and where each has its values. */
export function wantedBy(conditions: readonly Condition[]): {
  readonly tags: readonly WantedTag[];
  readonly slots: ReadonlyMap<number, number>;
} {
  const slots = new Map<number, number>();
  const tags: WantedTag[] = [];
  for (const { tag, type } of conditions) {
    if (slots.has(tag)) continue;
    slots.set(tag, tags.length);
    tags.push({ tag, type });
  }
  return { tags, slots };
}

export function predicateOf(root: Node): Predicate {
  const leaves = leavesOf(root);
  const { tags, slots } = wantedBy(leaves.map(({ condition }) => condition));
  /** @param assumed result of all leaves on siblings @default their traits */
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
  // Complements are in the leaves, so a device matches with more of them if it matches with fewer.
  const [couldMatch, mustMatch] = [compile(root, true), compile(root, false)];
  return { ...predicate, siblings: { conditions, decide: (values) => couldMatch(values) && !mustMatch(values) } };
}

/** Compiles the expression to an in-memory predicate over devices (R-RES12 to R-RES16, Spec N). */
export const compilePredicate = (expression: Expression | undefined, viewpoint: Viewpoint): Predicate =>
  predicateOf(resolve(expression, viewpoint));
