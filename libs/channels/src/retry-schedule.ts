export interface RetrySchedule {
  readonly waitsMs: readonly number[];
  readonly forMs: number;
}
