import type { SliceOutcome } from '@tidings/events';
import { CLOCKS_AGREE_MS } from '@tidings/kernel';
import { SILENCE_MS } from './protocol-times.ts';

/** A longer deferral was published before the clock was set back. */
const LONGEST_DEFERRAL_MS = 6 * 3_600_000;
const RECHECK_MS = 5_000;

const WORD = 31;

/** Updates are commutative and idempotent. */
export interface SliceStatuses {
  readonly emitted?: Readonly<Record<string, readonly [partition: number, offset: number, at: number]>>;
  readonly deferred?: Readonly<Record<string, number>>;
  readonly settled?: Readonly<Record<string, number>>;
}

export const settledBit = (number: number): { readonly word: number; readonly bit: number } => ({
  word: Math.floor(number / WORD),
  bit: 1 << (number % WORD),
});

export function isSettled(statuses: Pick<SliceStatuses, 'settled'> | undefined, number: number): boolean {
  const { word, bit } = settledBit(number);
  return ((statuses?.settled?.[word] ?? 0) & bit) !== 0;
}

export function openSlices(statuses: Pick<SliceStatuses, 'settled'> | undefined, count: number): number[] {
  const open: number[] = [];
  for (let number = 0; number < count; number++) if (!isSettled(statuses, number)) open.push(number);
  return open;
}

export type StatusChange = { readonly settled: number } | { readonly deferred: number; readonly until: number };

export function statusChange({ number, outcome }: Pick<SliceOutcome, 'number' | 'outcome'>): StatusChange | undefined {
  if (outcome?.$case === 'settled') return { settled: number };
  const until = outcome?.value.until;
  return until && { deferred: number, until: until.getTime() };
}

export interface Emission {
  readonly partition: number;
  readonly offset: number;
  readonly at: number;
}

export interface OpenSlice {
  readonly emitted?: Emission | undefined;
  readonly deferredUntil?: number | undefined;
}

export function openSliceOf(statuses: SliceStatuses | undefined, number: number): OpenSlice {
  const emitted = statuses?.emitted?.[number];
  const deferredUntil = statuses?.deferred?.[number];
  // A deferral may be recorded before its emission, so their times decide.
  const isOver = emitted !== undefined && deferredUntil !== undefined && deferredUntil <= emitted[2];
  return {
    emitted: emitted && { partition: emitted[0], offset: emitted[1], at: emitted[2] },
    deferredUntil: isOver ? undefined : deferredUntil,
  };
}

export type SliceState =
  | { readonly kind: 'due' }
  | { readonly kind: 'inFlight' | 'deferred'; readonly checkAt: number };

/** Any weaker rule strands slices or sends them twice, as the simulation shows. */
export function sliceState(
  { emitted, deferredUntil }: OpenSlice,
  now: number,
  isConsumed: (emission: Emission) => boolean,
): SliceState {
  if (!emitted) return { kind: 'due' };
  if (deferredUntil !== undefined && deferredUntil <= now + LONGEST_DEFERRAL_MS) {
    const checkAt = deferredUntil + SILENCE_MS;
    if (now > checkAt) return { kind: 'due' };
    return { kind: now > deferredUntil ? 'inFlight' : 'deferred', checkAt: checkAt + 1 };
  }
  const checkAt = emitted.at + SILENCE_MS;
  // An emission in the future was made before the clock was set back.
  if (now <= checkAt && emitted.at <= now + CLOCKS_AGREE_MS) return { kind: 'inFlight', checkAt: checkAt + 1 };
  return isConsumed(emitted) ? { kind: 'due' } : { kind: 'inFlight', checkAt: now + RECHECK_MS };
}

export const dueSlices = (
  statuses: SliceStatuses | undefined,
  count: number,
  now: number,
  isConsumed: (emission: Emission) => boolean,
): number[] =>
  openSlices(statuses, count).filter(
    (number) => sliceState(openSliceOf(statuses, number), now, isConsumed).kind === 'due',
  );
