import type { Expression, TagType } from '@tidings/events';
import { type Comparable, type Condition, meaningOf, onPlatforms, tester, withToken } from './condition.ts';

/** What a device has for the tags that a predicate asks for: an entry per tag, in the predicate's order, empty where it is unset. */
export type TagValues = readonly (readonly Comparable[])[];

/** A tag whose values a predicate needs. */
export interface WantedTag {
  readonly tag: number;
  readonly type: TagType;
}

/** From where an expression is looked at. */
export interface Viewpoint {
  /** What "N days ago" counts from. */
  readonly now: Date;
  /** Whose devices are asked: those of others meet no condition on this application. */
  readonly application: string;
}

/** An expression from one viewpoint, ready to be asked for many devices. */
export interface Predicate {
  /** The tags that it asks for, each once. */
  readonly tags: readonly WantedTag[];
  matches(values: TagValues): boolean;
}

/** An expression with its conditions resolved; the leaves are numbered from 0 in the order of writing. */
export type Node =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Node[] }
  | { readonly kind: 'leaf'; readonly leaf: number; readonly condition: Condition };

const everybody: Node = { kind: 'all', of: [] };
const nobody: Node = { kind: 'any', of: [] };

const isConstant = (node: Node): boolean => node.kind !== 'leaf' && node.of.length === 0;

/** Several nodes as one, without those that change nothing; constant where one of them decides alone. */
function joined(kind: 'all' | 'any', nodes: readonly Node[]): Node {
  const deciding = nodes.find((node) => isConstant(node) && node.kind !== kind);
  if (deciding) return deciding;
  const of = nodes.filter((node) => !isConstant(node));
  return of.length === 1 ? of[0]! : { kind, of };
}

/**
 * Resolves "N days ago", applications and complements. No expression at all is met by everyone; a node that is not known or makes no sense
 * by nobody, and neither is its complement: an audience must never grow by a misunderstanding.
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

/** False where no device of the application can meet the expression, whatever it has. */
export function canMatch(expression: Expression | undefined, viewpoint: Viewpoint): boolean {
  const root = resolve(expression, viewpoint);
  return root.kind !== 'any' || root.of.length > 0;
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

/** The expression as a predicate over devices, in memory (R-RES12 to R-RES16, Spec N). */
export const compilePredicate = (expression: Expression | undefined, viewpoint: Viewpoint): Predicate =>
  predicateOf(resolve(expression, viewpoint));
