/** Time that an incomplete batch waits after a quiet time: the records of one cause arrive together. */
const AFTER_QUIET_MS = 20;

/**
 * Milliseconds that an incomplete batch waits for more records: until `lingerMs` after the previous batch was handled, which bounds the number of
 * batches, but not for long after a quiet time, in which waiting saves nothing.
 * @param handledAt in milliseconds of `performance.now()`; -Infinity for none
 */
export const lingerLeftMs = (lingerMs: number, handledAt: number, now = performance.now()): number =>
  Math.max(Math.min(lingerMs, AFTER_QUIET_MS), lingerMs - (now - handledAt));
