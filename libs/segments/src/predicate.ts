import type { Expression, TagType } from '@tidings/events';
import { type Comparable, type Condition, meaningOf, onPlatforms, tester, withToken } from './condition.ts';

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
}

/** An expression resolved for a viewpoint, ready to test many devices. */
export interface Predicate {
  /** The tags of its conditions, without duplicates. */
  readonly tags: readonly WantedTag[];
  matches(values: TagValues): boolean;
}

/** An expression with resolved conditions; the leaves are numbered from 0 in written order. */
export type Node =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Node[] }
  | { readonly kind: 'leaf'; readonly leaf: number; readonly condition: Condition };

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

/**
 * Resolves "N days ago", applications and complements. A missing expression matches every device; an unknown or invalid node matches none, and
 * neither does its complement: a misinterpretation must never enlarge an audience.
 */
export function resolve(expression: Expression | undefined, { now, application }: Viewpoint): Node {
  if (!expression) return everybody;
  let leaves = 0;
  const leaf = (condition: Condition | undefined): Node => {
    const number = leaves++;
    return condition ? { kind: 'leaf', leaf: number, condition } : nobody;
  };
  const elsewhere = (negated: boolean): Node => (negated ? everybody : nobody);
  const visit = ({ node }: Expression, negated: boolean): Node => {
    switch (node?.$case) {
      case 'all':
      case 'any': {
        const parts = node.value.of.map((each) => visit(each, negated));
        return joined((node.$case === 'all') === negated ? 'any' : 'all', parts);
      }
      case 'not':
        return visit(node.value, !negated);
      case 'tag': {
        const found = leaf(meaningOf(node.value, now, negated));
        const isHere = node.value.application === '' || node.value.application === application;
        return isHere || found === nobody ? found : elsewhere(negated);
      }
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
      const meets = tester(node.condition);
      return (values) => meets(values[slot] ?? []);
    }
    const parts = node.of.map(compile);
    return node.kind === 'all'
      ? (values) => parts.every((part) => part(values))
      : (values) => parts.some((part) => part(values));
  };
  return { tags, matches: compile(root) };
}

/** Compiles the expression to an in-memory predicate over devices (R-RES12 to R-RES16, Spec N). */
export const compilePredicate = (expression: Expression | undefined, viewpoint: Viewpoint): Predicate =>
  predicateOf(resolve(expression, viewpoint));
