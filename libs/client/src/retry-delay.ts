const DEFAULT_MS = 5_000;
const MAX_MS = 60_000;

/** At most a minute. A date is ignored: the clocks of both sides may differ. */
export const retryDelayMs = (header: string): number =>
  /^\s*\d+\s*$/.test(header) ? Math.min(Number(header) * 1_000, MAX_MS) : DEFAULT_MS;
