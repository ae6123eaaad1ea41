import { delay } from '../waiting.ts';

const PATIENCE_MS = 60_000;

/** For writers of tests that are not about the time of an answer: a slow store must not exceed it. */
export const PATIENT = { answerWithinMs: PATIENCE_MS } as const;

/** Waits for a condition, and fails when it does not become true. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await condition()); await delay(5)) {
    if (performance.now() > end) throw new Error(`in vain: ${String(condition)}`);
  }
}
