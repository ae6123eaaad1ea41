/** The schedule of the retries of a channel's pushes. */
export interface RetrySchedule {
  /** Waits before the next tries, in order; the last one repeats. */
  readonly waitsMs: readonly number[];
  /** Retries end this long after the first try of a device. */
  readonly forMs: number;
}
