import { openSliceOf, openSlices, type SliceStatuses } from './slice-status.ts';
import { RATED_SLICE_SIZE } from './slices.ts';

const AHEAD_MS = 1_000;
const IN_FLIGHT_MS = 10_000;

export interface PacedLimits {
  readonly slices: number;
  readonly inFlight: number;
}

export const pacedLimits = (rate: number, emittedUntil: number, now: number): PacedLimits => ({
  slices: Math.max(0, Math.floor(((now + AHEAD_MS - Math.max(emittedUntil, now)) * rate) / 1_000 / RATED_SLICE_SIZE)),
  inFlight: Math.ceil((IN_FLIGHT_MS * rate) / 1_000 / RATED_SLICE_SIZE),
});

export const emittedUntilWith = (slices: number, rate: number, emittedUntil: number, now: number): number =>
  Math.max(emittedUntil, now) + (slices * RATED_SLICE_SIZE * 1_000) / rate;

export function pacedSlices(
  due: readonly number[],
  statuses: SliceStatuses | undefined,
  count: number,
  { slices, inFlight }: PacedLimits,
): readonly number[] {
  const dueNow = new Set(due);
  const sentAlready = openSlices(statuses, count).filter(
    (number) => !dueNow.has(number) && openSliceOf(statuses, number).deferredUntil === undefined,
  );
  return due.slice(0, Math.max(0, Math.min(slices, inFlight - sentAlready.length)));
}
