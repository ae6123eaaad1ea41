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
 * Where the collection of devices keeps what conditions compare. Besides, every document has `app`, `seq` and `tags`, a list of `{k, v}`
 * with texts cut to {@link INDEXED_LENGTH} code points.
 */
export interface DeviceLayout {
  /** Index {app, seq}. */
  readonly seqIndex: string;
  /** Index {app, tags.k, tags.v, seq}. */
  readonly tagsIndex: string;
  /** Tags that are fields of the document, by number; `index` is {app, <path>, seq}, where there is one. */
  readonly fields: ReadonlyMap<number, { readonly path: string; readonly index?: string }>;
}

/**
 * The leaves of an expression that a scan looks up in an index, by number: every device that meets the expression meets one of them.
 * None = the scan reads every device. Decided once per message and kept with it, so that all its chunks are scanned alike.
 */
export type Lookup = readonly number[];

/** How the devices of a chunk that meet an expression are found. */
export interface ScanPlan {
  /** @param also what else a document must have: conditions that no index serves. */
  readonly filter: (
    application: string,
    fromSeq: number,
    toSeq: number,
    also?: Record<string, unknown>,
  ) => Record<string, unknown>;
  readonly hint: string;
  /** What must be checked of each document that the filter lets through; undefined = nothing. */
  readonly residual: Predicate | undefined;
}

/** Devices read here and there in an application, for estimating how many meet a condition. */
export interface Sample {
  /** In the order of the predicate's tags. */
  readonly devices: readonly TagValues[];
  /** How many devices the application has, about. */
  readonly total: number;
  readonly chunks: number;
}

/** What an index holds of a text: the first 64 code points. */
export const INDEXED_LENGTH = 64;

function indexed(value: Comparable): Comparable {
  if (typeof value !== 'string' || value.length <= INDEXED_LENGTH) return value;
  return Array.from(value).slice(0, INDEXED_LENGTH).join('');
}

/** A text so long that the index cannot tell it from longer ones. Version keys are never cut. */
const isCut = (value: Comparable, type: TagType): boolean =>
  type !== TagType.TAG_TYPE_VERSION && typeof value === 'string' && Array.from(value).length >= INDEXED_LENGTH;

const isExact = (condition: Condition): boolean => !condition.values.some((value) => isCut(value, condition.type));

/** Values, and conditions, that one look-up may have: more cost the planner of MongoDB more than they save. */
const MAX_LOOKED_UP = 1000;
const MAX_LEAVES = 100;

/** The index that serves a condition; complements have none, because they are met by devices without a value, and neither have traits. */
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

/** The cheapest set of leaves in one index that together let no matching device slip. */
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

/** What a device costs that is read by a range, its values in turn and so here and there, against one read in order (G6). */
const SCATTERED = 2.25;

/**
 * What looking up a leaf costs, in devices read. A range is read value by value, because the number of the device comes last in the
 * index: once for each of its values in every chunk.
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
    // Values that repeat in the sample are few; those that do not are as many as the devices.
    const values = distinct * 2 < met.length ? distinct : expected;
    return expected * SCATTERED + values * sample.chunks;
  };
  const costs = new Map(leavesOf(root).map(({ leaf, condition }) => [leaf, costOf(condition)]));
  return (leaf) => costs.get(leaf)!;
}

/** Whether an index can serve the expression at all: without one there is nothing to choose. */
export const canLookUp = (expression: Expression | undefined, viewpoint: Viewpoint, layout: DeviceLayout): boolean =>
  cheapest(resolve(expression, viewpoint), layout, () => 0) !== undefined;

/** Chooses what to look up from a sample of the application's devices: the rarest that is needed, or nothing where that is cheaper. */
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

/** The filters on one value; any of them. */
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

/** What remains to be checked of a device that met one of the looked-up leaves. */
function remainder(node: Node, lookup: ReadonlySet<number>): Node | undefined {
  if (node.kind === 'leaf') return lookup.has(node.leaf) && isExact(node.condition) ? undefined : node;
  const parts = node.of.map((each) => remainder(each, lookup));
  // Which of several was met is not known, so they are checked as a whole.
  if (node.kind === 'any') return parts.length > 0 && parts.every((part) => part === undefined) ? undefined : node;
  const left = parts.filter((part) => part !== undefined);
  return left.length > 0 ? { kind: 'all', of: left } : undefined;
}

/** The plan of scanning for an expression with this look-up, one of {@link chooseLookup}. */
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
