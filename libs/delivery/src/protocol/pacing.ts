import { openSliceOf, openSlices, type SliceStatuses } from './slice-status.ts';
import { RATED_SLICE_SIZE } from './slices.ts';

/** Part of a message with a send rate that is emitted ahead of its time, so that dispatchers go on without a gap. */
const AHEAD_MS = 1_000;
/** Maximum time in which the slices of a sendable set in flight could be sent: a channel that does not send must not pile them up. */
const IN_FLIGHT_MS = 10_000;

/** Limits of the emission of a message with a send rate. */
export interface PacedLimits {
  /** Maximum number of slices. */
  readonly slices: number;
  /** Maximum number of slices in flight of a sendable set. */
  readonly inFlight: number;
}

/**
 * The slices that may be emitted now (R-I11). The dispatchers keep the rate; this bounds what waits for them.
 * @param emittedUntil time until which the slices emitted so far are sent at this rate
 */
export const pacedLimits = (rate: number, emittedUntil: number, now: number): PacedLimits => ({
  slices: Math.max(0, Math.floor(((now + AHEAD_MS - Math.max(emittedUntil, now)) * rate) / 1_000 / RATED_SLICE_SIZE)),
  inFlight: Math.ceil((IN_FLIGHT_MS * rate) / 1_000 / RATED_SLICE_SIZE),
});

/** Time until which the slices are sent, these included. */
export const emittedUntilWith = (slices: number, rate: number, emittedUntil: number, now: number): number =>
  Math.max(emittedUntil, now) + (slices * RATED_SLICE_SIZE * 1_000) / rate;

/** The first of the due slices of a sendable set that may be emitted. */
export function pacedSlices(
  due: readonly number[],
  statuses: SliceStatuses | undefined,
  count: number,
  { slices, inFlight }: PacedLimits,
): readonly number[] {
  const dueNow = new Set(due);
  const flying = openSlices(statuses, count).filter(
    (number) => !dueNow.has(number) && openSliceOf(statuses, number).deferredUntil === undefined,
  );
  return due.slice(0, Math.max(0, Math.min(slices, inFlight - flying.length)));
}
