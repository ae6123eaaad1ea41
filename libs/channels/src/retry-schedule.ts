/** When the retried pushes of a channel are tried again. */
export interface RetrySchedule {
  /** Waits before the next tries, in order; the last one repeats. */
  readonly waitsMs: readonly number[];
  /** Retries end this long after the first try of a device. */
  readonly forMs: number;
}
