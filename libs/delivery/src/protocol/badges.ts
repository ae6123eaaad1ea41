import { badgeChangeIn, MAX_BADGE } from '@tidings/channels';
import { BadgeBlock, type BadgeChange, type BadgesAllotted, type ChunkPlanned, type Content } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';

const BLOCK_SIZE = 128;
/** Beyond this number the oldest badge is kept, whatever becomes of it. */
const OPEN_MAX = 64;

/** Adds `by`, then clamps to `least` and `most`. */
interface BadgeFunction {
  readonly by: number;
  readonly least: number;
  readonly most: number;
}

interface OpenBadge {
  readonly send: string;
  readonly change: BadgeChange;
  readonly kept: boolean;
}

export interface BadgeRow extends BadgeFunction {
  /** Grows whenever the device sets its badge; 0 = never. */
  readonly generation: number;
  readonly base: number;
  readonly open: readonly OpenBadge[];
}

export type BadgeRows = ReadonlyMap<number, BadgeRow>;

export interface BadgeCandidates {
  rowOf(position: number): number;
  readonly languages: Uint8Array;
  readonly languageNames: readonly string[];
  readonly badges: Int32Array;
  readonly badgeGenerations: Float64Array;
}

const unchanged: BadgeFunction = { by: 0, least: 0, most: MAX_BADGE };
const bounded = (badge: number): number => Math.min(Math.max(0, badge), MAX_BADGE);

function followedBy({ by, least, most }: BadgeFunction, { absolute, value }: BadgeChange): BadgeFunction {
  if (absolute) return { by: 0, least: value, most: value };
  const next = { by: by + value, least: bounded(least + value), most: bounded(most + value) };
  // No base gives anything else, so `by` stays within 32 bits.
  if (next.by >= next.most) return { by: 0, least: next.most, most: next.most };
  return MAX_BADGE + next.by <= next.least ? { by: 0, least: next.least, most: next.least } : next;
}

const applied = ({ by, least, most }: BadgeFunction, base: number): number =>
  Math.min(Math.max(least, base + by), most);

const allOf = (row: BadgeRow): BadgeFunction =>
  row.open.reduce<BadgeFunction>((all, { change }) => followedBy(all, change), row);

export const badgeOf = (row: BadgeRow, base: number): number => applied(allOf(row), base);

export const badgeBlockOf = (position: number): number => Math.floor(position / BLOCK_SIZE);

export function badgeBlocksOf(positions: Uint16Array): number[] {
  const blocks: number[] = [];
  for (const position of positions) if (badgeBlockOf(position) !== blocks.at(-1)) blocks.push(badgeBlockOf(position));
  return blocks;
}

const decoded = new WeakMap<Uint8Array, Uint16Array>();

export function positionsIn(set: Uint8Array): Uint16Array {
  let positions = decoded.get(set);
  if (!positions) decoded.set(set, (positions = Bitmap.decode(set).positions()));
  return positions;
}

function lowerBound(positions: Uint16Array, position: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[middle]! < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

const indexesIn = (positions: Uint16Array, block: number): readonly [from: number, to: number] => [
  lowerBound(positions, block * BLOCK_SIZE),
  lowerBound(positions, (block + 1) * BLOCK_SIZE),
];

export function shownBadges({
  set,
  shown,
}: Pick<BadgesAllotted, 'set' | 'shown'>): (position: number) => number | undefined {
  const positions = positionsIn(set);
  return (position) => {
    const index = lowerBound(positions, position);
    return positions[index] === position ? shown[index] : undefined;
  };
}

interface Allotment {
  readonly position: number;
  readonly change: BadgeChange;
  readonly shown: number;
  readonly reset: { readonly generation: number; readonly base: number } | undefined;
}

function allotted(
  position: number,
  change: BadgeChange,
  found: BadgeRow | undefined,
  generation: number,
  base: number,
) {
  const storedGeneration = found?.generation ?? 0;
  const reset = generation > storedGeneration ? { generation, base } : undefined;
  // Another plan has seen a later badge than this scan.
  const own = generation < storedGeneration ? found!.base : base;
  const before = reset || !found ? base : badgeOf(found, own);
  return { position, change, shown: applied(followedBy(unchanged, change), before), reset };
}

/** Badges count on from earlier plans, sent or not (R-C9). */
export function allotBadges(
  { chunk, sendable }: ChunkPlanned,
  content: Content | undefined,
  candidates: BadgeCandidates,
  rowAt: (position: number) => BadgeRow | undefined,
): BadgesAllotted {
  const { languages, languageNames, badges, badgeGenerations } = candidates;
  const all: Allotment[] = [];
  for (const { platform, variant, set } of sendable) {
    const changes = languageNames.map((language) => badgeChangeIn({ platform, variant, content }, language));
    if (changes.every((change) => change === undefined)) continue;
    for (const position of positionsIn(set)) {
      const at = candidates.rowOf(position);
      const change = changes[languages[at]!];
      if (change) all.push(allotted(position, change, rowAt(position), badgeGenerations[at]!, badges[at]!));
    }
  }
  return encoded(chunk, all);
}

function encoded(chunk: number, allotments: readonly Allotment[]): BadgesAllotted {
  const sorted = allotments.toSorted((a, b) => a.position - b.position);
  const changes: BadgeChange[] = [];
  const change = sorted.map(({ change: { absolute, value } }) => {
    const index = changes.findIndex((each) => each.absolute === absolute && each.value === value);
    return index >= 0 ? index : changes.push({ absolute, value }) - 1;
  });
  const resets = sorted.flatMap(({ position, reset }) => (reset ? [{ position, ...reset }] : []));
  const setOf = (of: readonly { readonly position: number }[]): Buffer =>
    Buffer.from(Bitmap.of(of.map(({ position }) => position)).encode());
  return {
    chunk,
    set: setOf(sorted),
    changes,
    change: changes.length > 1 ? change : [],
    shown: sorted.map(({ shown }) => shown),
    reset: setOf(resets),
    generations: resets.map(({ generation }) => generation),
    bases: resets.map(({ base }) => base),
  };
}

function settledRow(row: BadgeRow, open: readonly OpenBadge[]): BadgeRow {
  let first = 0;
  let counted: BadgeFunction = row;
  while (first < open.length && (open[first]!.kept || open.length - first > OPEN_MAX)) {
    counted = followedBy(counted, open[first++]!.change);
  }
  const { by, least, most } = counted;
  return { generation: row.generation, base: row.base, by, least, most, open: open.slice(first) };
}

const isUntouched = ({ generation, by, least, most, open }: BadgeRow): boolean =>
  generation === 0 && open.length === 0 && by === 0 && least === 0 && most === MAX_BADGE;

export function withAllotted(
  before: BadgeRows | undefined,
  event: BadgesAllotted,
  block: number,
  send: string,
): BadgeRows {
  const rows = new Map(before);
  const [positions, resets] = [positionsIn(event.set), positionsIn(event.reset)];
  const [from, to] = indexesIn(positions, block);
  for (let i = from; i < to; i++) {
    const position = positions[i]!;
    const at = lowerBound(resets, position);
    const reset = resets[at] === position ? { generation: event.generations[at]!, base: event.bases[at]! } : undefined;
    const existing = reset ? undefined : rows.get(position);
    const row = existing ?? { generation: 0, base: 0, ...reset, ...unchanged, open: [] };
    const change = event.changes[event.change[i] ?? 0]!;
    rows.set(position, settledRow(row, [...row.open, { send, change, kept: false }]));
  }
  return rows;
}

export function withSettledBadges(
  before: BadgeRows | undefined,
  { failed, kept }: { readonly failed: Uint8Array; readonly kept: Uint8Array },
  block: number,
  send: string,
): BadgeRows {
  const rows = new Map(before);
  const change = (set: Uint8Array, settled: (open: OpenBadge) => readonly OpenBadge[]): void => {
    const positions = positionsIn(set);
    const [from, to] = indexesIn(positions, block);
    for (const position of positions.subarray(from, to)) {
      const row = rows.get(position);
      if (!row) continue;
      const next = settledRow(
        row,
        row.open.flatMap((each) => (each.send === send ? settled(each) : [each])),
      );
      if (isUntouched(next)) rows.delete(position);
      else rows.set(position, next);
    }
  };
  change(failed, () => []);
  change(kept, (each) => [{ ...each, kept: true }]);
  return rows;
}

export const encodeBadges = (rows: BadgeRows): Uint8Array =>
  BadgeBlock.encode({
    rows: Array.from(rows, ([position, { most, open, ...row }]) => ({
      position,
      ...row,
      most: most === MAX_BADGE ? undefined : most,
      open: [...open],
    })),
  }).finish();

export const decodeBadges = (bytes: Uint8Array): BadgeRows =>
  new Map(
    BadgeBlock.decode(bytes).rows.map(({ position, generation, base, by, least, most = MAX_BADGE, open }) => {
      const badges = open.map(({ send, change, kept }) => ({ send, change: change!, kept }));
      return [position, { generation, base, by, least, most, open: badges }];
    }),
  );
