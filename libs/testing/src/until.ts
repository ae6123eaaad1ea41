import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

interface UntilOptions {
  /** @default a minute */
  readonly timeoutMs?: number;
}

/** Pauses for as long as a check takes, 1 to 50 ms. @throws an error with the condition's source after `timeoutMs`, and its own errors at once */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = TIMEOUT_MS }: UntilOptions = {},
): Promise<void> {
  const giveUpAt = performance.now() + timeoutMs;
  for (let checkedAt = performance.now(); !(await condition()); checkedAt = performance.now()) {
    const now = performance.now();
    if (now > giveUpAt) throw new Error(`in vain: ${String(condition)}`);
    await delay(Math.min(Math.max(now - checkedAt, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
  }
}
