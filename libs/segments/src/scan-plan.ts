import { type Expression, TagType } from '@tidings/events';
import { type Comparable, type Condition, type Range, tester } from './condition.ts';
import {
  leavesOf,
  type Node,
  predicateOf,
  type Predicate,
  resolve,
  type TagValues,
  type Viewpoint,
} from './predicate.ts';

/** Texts in `tags` are cut to {@link INDEXED_LENGTH} code points. */
export interface DeviceLayout {
  readonly seqIndex: string;
  readonly tagsIndex: string;
  readonly fields: ReadonlyMap<number, { readonly path: string; readonly index?: string }>;
}

/** Every matching device matches one of these leaves; empty = all are read. Stored per message. */
export type Lookup = readonly number[];

export interface ScanPlan {
  readonly filter: (
    application: string,
    fromSeq: number,
    toSeq: number,
    also?: Record<string, unknown>,
  ) => Record<string, unknown>;
  readonly hint: string;
  readonly residual: Predicate | undefined;
}

export interface Sample {
  readonly devices: readonly TagValues[];
  readonly total: number;
  readonly chunks: number;
}

export const INDEXED_LENGTH = 64;

function indexed(value: Comparable): Comparable {
  if (typeof value !== 'string' || value.length <= INDEXED_LENGTH) return value;
  return Array.from(value).slice(0, INDEXED_LENGTH).join('');
}

/** Version keys are never cut. */
const isCut = (value: Comparable, type: TagType): boolean =>
  type !== TagType.TAG_TYPE_VERSION && typeof value === 'string' && Array.from(value).length >= INDEXED_LENGTH;

const isExact = (condition: Condition): boolean => !condition.values.some((value) => isCut(value, condition.type));

/** Beyond, MongoDB's planner costs more than the lookup saves. */
const MAX_LOOKED_UP = 1000;
const MAX_LEAVES = 100;

/** Devices without a value match complements. */
function indexOf(condition: Condition, layout: DeviceLayout): string | undefined {
  if (condition.complement || condition.values.length > MAX_LOOKED_UP) return undefined;
  if (condition.tag < 0) return undefined;
  const field = layout.fields.get(condition.tag);
  return field ? field.index : layout.tagsIndex;
}

interface Choice {
  readonly leaves: readonly number[];
  readonly index: string;
  readonly cost: number;
}

function cheapest(node: Node, layout: DeviceLayout, costOf: (leaf: number) => number): Choice | undefined {
  if (node.kind === 'leaf') {
    const index = indexOf(node.condition, layout);
    return index === undefined ? undefined : { leaves: [node.leaf], index, cost: costOf(node.leaf) };
  }
  const choices = node.of.map((each) => cheapest(each, layout, costOf));
  if (node.kind === 'all') {
    return choices.reduce((best, choice) => (choice && (!best || choice.cost < best.cost) ? choice : best), undefined);
  }
  const [first] = choices;
  if (!first || !choices.every((choice) => choice?.index === first.index)) return undefined;
  const leaves = choices.flatMap((choice) => choice!.leaves);
  if (leaves.length > MAX_LEAVES) return undefined;
  return {
    leaves,
    index: first.index,
    cost: choices.reduce((sum, choice) => sum + choice!.cost, 0),
  };
}

const SCATTERED = 2.25;

/** A range is read value by value: the seq is the last field of the index. */
function costIn(sample: Sample, root: Node): (leaf: number) => number {
  const { tags } = predicateOf(root);
  const scale = sample.total / Math.max(1, sample.devices.length);
  const slots = new Map(tags.map(({ tag }, slot) => [tag, slot]));
  const costOf = (condition: Condition): number => {
    const slot = slots.get(condition.tag)!;
    const meets = tester(condition);
    const met = sample.devices.filter((values) => meets(values[slot] ?? []));
    const expected = (met.length + 0.5) * scale;
    if (condition.ranges.length === 0) return expected;
    const distinct = new Set(met.flatMap((values) => values[slot] ?? [])).size;
    const values = distinct * 2 < met.length ? distinct : expected;
    return expected * SCATTERED + values * sample.chunks;
  };
  const costs = new Map(leavesOf(root).map(({ leaf, condition }) => [leaf, costOf(condition)]));
  return (leaf) => costs.get(leaf)!;
}

export const canLookUp = (expression: Expression | undefined, viewpoint: Viewpoint, layout: DeviceLayout): boolean =>
  cheapest(resolve(expression, viewpoint), layout, () => 0) !== undefined;

export function chooseLookup(
  expression: Expression | undefined,
  viewpoint: Viewpoint,
  layout: DeviceLayout,
  sample: Sample,
): Lookup {
  const root = resolve(expression, viewpoint);
  const choice = cheapest(root, layout, costIn(sample, root));
  return choice && choice.cost < sample.total ? choice.leaves : [];
}

const bounds = ({ from, to, below }: Range): Record<string, unknown> => ({
  ...(from === undefined ? {} : { $gte: from }),
  ...(to === undefined ? {} : { $lte: to }),
  ...(below === undefined ? {} : { $lt: below }),
});

function valueFilters({ values, ranges }: Condition): unknown[] {
  const [first, ...others] = [...new Set(values.map(indexed))];
  const listed = first === undefined ? [] : others.length === 0 ? [first] : [{ $in: [first, ...others] }];
  return [...listed, ...ranges.map(bounds)];
}

function clauses(condition: Condition, layout: DeviceLayout): Record<string, unknown>[] {
  const field = layout.fields.get(condition.tag);
  return valueFilters(condition).map((value) =>
    field ? { [field.path]: value } : { tags: { $elemMatch: { k: condition.tag, v: value } } },
  );
}

function remainder(node: Node, lookup: ReadonlySet<number>): Node | undefined {
  if (node.kind === 'leaf') return lookup.has(node.leaf) && isExact(node.condition) ? undefined : node;
  const parts = node.of.map((each) => remainder(each, lookup));
  // Any alternative may have matched.
  if (node.kind === 'any') return parts.length > 0 && parts.every((part) => part === undefined) ? undefined : node;
  const remaining = parts.filter((part) => part !== undefined);
  return remaining.length > 0 ? { kind: 'all', of: remaining } : undefined;
}

export function scanPlan(
  expression: Expression | undefined,
  viewpoint: Viewpoint,
  layout: DeviceLayout,
  lookup: Lookup,
): ScanPlan {
  const root = resolve(expression, viewpoint);
  const chosen = new Set(lookup);
  const conditions = leavesOf(root)
    .filter(({ leaf }) => chosen.has(leaf))
    .map(({ condition }) => condition);
  const found = conditions.flatMap((condition) => clauses(condition, layout));
  const residual = remainder(root, chosen);
  return {
    hint: conditions[0] ? indexOf(conditions[0], layout)! : layout.seqIndex,
    residual: residual && predicateOf(residual),
    filter: (application, fromSeq, toSeq, also = {}) => {
      const part = { app: application, seq: { $gte: fromSeq, $lte: toSeq }, ...also };
      if (conditions.length > 0 && found.length === 0) return { app: application, seq: { $in: [] } };
      if (found.length < 2) return { ...part, ...found[0] };
      return { $or: found.map((clause) => ({ ...part, ...clause })) };
    },
  };
}
