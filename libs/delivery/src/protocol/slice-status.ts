import type { SliceOutcome } from '@tidings/events';
import { CLOCKS_AGREE_MS } from '@tidings/kernel';
import { SILENCE_MS } from './protocol-times.ts';

/** The longest deferral that is published: a wait for another try of a mail. A longer one was published before the clock was set back. */
const LONGEST_DEFERRAL_MS = 6 * 3_600_000;
/** Delay before checking again whether a record was passed. */
const ASK_AGAIN_MS = 5_000;

/** Number of slices in one number of `settled`. */
const WORD = 31;

/** The recorded statuses of a sendable set's slices. Every field is written by commutative, idempotent updates. */
export interface SliceStatuses {
  /** Partition, offset and time (milliseconds since 1970) of the last record of each slice. */
  readonly emitted?: Readonly<Record<string, readonly [partition: number, offset: number, at: number]>>;
  /** End of the last deferral of each slice, in milliseconds since 1970. A later emission supersedes the deferral. */
  readonly deferred?: Readonly<Record<string, number>>;
  /** Settled slices, 31 to a number: bits are only added. */
  readonly settled?: Readonly<Record<string, number>>;
}

/** The bit of a settled slice: the entry of `settled`, and the bit in it. */
export const settledBit = (number: number): { readonly word: number; readonly bit: number } => ({
  word: Math.floor(number / WORD),
  bit: 1 << (number % WORD),
});

export function isSettled(statuses: Pick<SliceStatuses, 'settled'> | undefined, number: number): boolean {
  const { word, bit } = settledBit(number);
  return ((statuses?.settled?.[word] ?? 0) & bit) !== 0;
}

/** The slices below `count` that are not settled. */
export function openSlices(statuses: Pick<SliceStatuses, 'settled'> | undefined, count: number): number[] {
  const open: number[] = [];
  for (let number = 0; number < count; number++) if (!isSettled(statuses, number)) open.push(number);
  return open;
}

/** The change of an outcome to the statuses of its sendable set. */
export type StatusChange = { readonly settled: number } | { readonly deferred: number; readonly until: number };

/** The change that an outcome records; undefined for an outcome of an unknown kind. */
export function statusChange({ number, outcome }: Pick<SliceOutcome, 'number' | 'outcome'>): StatusChange | undefined {
  if (outcome?.$case === 'settled') return { settled: number };
  const until = outcome?.value.until;
  return until && { deferred: number, until: until.getTime() };
}

/** Place and time of a slice's last emission. */
export interface Emission {
  readonly partition: number;
  readonly offset: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The status of an unsettled slice. */
export interface OpenSlice {
  readonly emitted?: Emission | undefined;
  readonly deferredUntil?: number | undefined;
}

/** The open slice `number` of the statuses. */
export function openSliceOf(statuses: SliceStatuses | undefined, number: number): OpenSlice {
  const emitted = statuses?.emitted?.[number];
  const deferredUntil = statuses?.deferred?.[number];
  // A deferral may be recorded before the emission that it answers: their times determine the order, not their writes.
  const isOver = emitted !== undefined && deferredUntil !== undefined && deferredUntil <= emitted[2];
  return {
    emitted: emitted && { partition: emitted[0], offset: emitted[1], at: emitted[2] },
    deferredUntil: isOver ? undefined : deferredUntil,
  };
}

/** Whether to emit a slice again now, or when at the earliest. */
export type SliceState =
  | { readonly kind: 'due' }
  | { readonly kind: 'inFlight' | 'deferred'; readonly checkAt: number };

/**
 * The watchdog's rule. A slice is emitted again only if it was never recorded as emitted, or the channel's group has passed its record and no outcome
 * arrived for longer than a lease, or its deferral is overdue by more than that. Any weaker rule strands slices or sends them twice, as the
 * simulation of the protocol shows.
 */
export function sliceState(
  { emitted, deferredUntil }: OpenSlice,
  now: number,
  hasPassed: (emission: Emission) => boolean,
): SliceState {
  if (!emitted) return { kind: 'due' };
  if (deferredUntil !== undefined && deferredUntil <= now + LONGEST_DEFERRAL_MS) {
    const checkAt = deferredUntil + SILENCE_MS;
    if (now > checkAt) return { kind: 'due' };
    return { kind: now > deferredUntil ? 'inFlight' : 'deferred', checkAt: checkAt + 1 };
  }
  const checkAt = emitted.at + SILENCE_MS;
  // One that was emitted in the future was emitted before the clock was set back.
  if (now <= checkAt && emitted.at <= now + CLOCKS_AGREE_MS) return { kind: 'inFlight', checkAt: checkAt + 1 };
  return hasPassed(emitted) ? { kind: 'due' } : { kind: 'inFlight', checkAt: now + ASK_AGAIN_MS };
}

/** The slices below `count` that are to be emitted now, by {@link sliceState}. */
export const dueSlices = (
  statuses: SliceStatuses | undefined,
  count: number,
  now: number,
  hasPassed: (emission: Emission) => boolean,
): number[] =>
  openSlices(statuses, count).filter(
    (number) => sliceState(openSliceOf(statuses, number), now, hasPassed).kind === 'due',
  );
