import type { LaneMetrics } from '../dispatcher-metrics.ts';

export const noMetrics: LaneMetrics = {
  ended: () => undefined,
  batch: () => undefined,
  slice: () => undefined,
  open: () => undefined,
  answered: () => undefined,
};
