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

/**
 * The layout of the collection of devices. Every document also has `app`, `seq` and `tags`, a list of `{k, v}` with texts cut to {@link
 * INDEXED_LENGTH} code points.
 */
export interface DeviceLayout {
  /** Index {app, seq}. */
  readonly seqIndex: string;
  /** Index {app, tags.k, tags.v, seq}. */
  readonly tagsIndex: string;
  /** Tags that are fields of the document, by number; `index` is {app, <path>, seq}, if it exists. */
  readonly fields: ReadonlyMap<number, { readonly path: string; readonly index?: string }>;
}

/**
 * The leaves of an expression that a scan looks up in an index, by number: every device that matches the expression matches one of them. Empty = the
 * scan reads every device. Chosen once per message and stored with it, so that all its chunks are scanned alike.
 */
export type Lookup = readonly number[];

/** How a scan finds the matching devices of a chunk. */
export interface ScanPlan {
  /** @param also additional conditions on a document, which no index serves */
  readonly filter: (
    application: string,
    fromSeq: number,
    toSeq: number,
    also?: Record<string, unknown>,
  ) => Record<string, unknown>;
  readonly hint: string;
  /** The test that documents from the filter must still pass; undefined if there is none. */
  readonly residual: Predicate | undefined;
}

/** A sample of an application's devices, to estimate the selectivity of conditions. */
export interface Sample {
  /** Values of the devices, in the order of the predicate's tags. */
  readonly devices: readonly TagValues[];
  /** Approximate number of devices of the application. */
  readonly total: number;
  readonly chunks: number;
}

/** Number of leading code points of a text in an index. */
export const INDEXED_LENGTH = 64;

function indexed(value: Comparable): Comparable {
  if (typeof value !== 'string' || value.length <= INDEXED_LENGTH) return value;
  return Array.from(value).slice(0, INDEXED_LENGTH).join('');
}

/** Whether the index cannot distinguish a text from longer ones. Version keys are never cut. */
const isCut = (value: Comparable, type: TagType): boolean =>
  type !== TagType.TAG_TYPE_VERSION && typeof value === 'string' && Array.from(value).length >= INDEXED_LENGTH;

const isExact = (condition: Condition): boolean => !condition.values.some((value) => isCut(value, condition.type));

/** Maximum number of values or conditions of a lookup: with more, MongoDB's planner costs more than the lookup saves. */
const MAX_LOOKED_UP = 1000;
const MAX_LEAVES = 100;

/** The index that serves a condition. Complements have none, because devices without a value match them, and neither have traits. */
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

/** The cheapest set of leaves of one index such that every matching device matches one of them. */
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

/** Relative cost of a device that is read by a range, in scattered order, to one that is read in order (G6). */
const SCATTERED = 2.25;

/**
 * Cost of looking up a leaf, in device reads. A range is read value by value in every chunk, because the device number is the last field of the
 * index.
 */
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
    // If values repeat in the sample, there are few of them; otherwise there are as many as devices.
    const values = distinct * 2 < met.length ? distinct : expected;
    return expected * SCATTERED + values * sample.chunks;
  };
  const costs = new Map(leavesOf(root).map(({ leaf, condition }) => [leaf, costOf(condition)]));
  return (leaf) => costs.get(leaf)!;
}

/** Whether an index can serve the expression; if not, there is no lookup to choose. */
export const canLookUp = (expression: Expression | undefined, viewpoint: Viewpoint, layout: DeviceLayout): boolean =>
  cheapest(resolve(expression, viewpoint), layout, () => 0) !== undefined;

/**
 * Chooses the lookup by a sample of the application's devices: the most selective necessary condition, or none if reading every device is cheaper.
 */
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

/** Filters on one value; one of them must match. */
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

/** The conditions that remain to be checked on a device that matches one of the looked-up leaves. */
function remainder(node: Node, lookup: ReadonlySet<number>): Node | undefined {
  if (node.kind === 'leaf') return lookup.has(node.leaf) && isExact(node.condition) ? undefined : node;
  const parts = node.of.map((each) => remainder(each, lookup));
  // It is unknown which alternative matched, so all of them are checked.
  if (node.kind === 'any') return parts.length > 0 && parts.every((part) => part === undefined) ? undefined : node;
  const left = parts.filter((part) => part !== undefined);
  return left.length > 0 ? { kind: 'all', of: left } : undefined;
}

/** The scan plan of an expression with a lookup of {@link chooseLookup}. */
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
