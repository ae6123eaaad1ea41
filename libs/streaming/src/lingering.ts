const AFTER_QUIET_MS = 20;

/** After a quiet time waiting saves little. @param handledAt by `performance.now()` */
export const remainingLingerMs = (lingerMs: number, handledAt: number, now = performance.now()): number =>
  Math.max(Math.min(lingerMs, AFTER_QUIET_MS), lingerMs - (now - handledAt));
