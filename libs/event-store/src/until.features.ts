import { delay } from './waiting.ts';

const PATIENCE_MS = 20_000;

/** Waits for a condition, and fails when it does not come true. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await condition()); await delay(5)) {
    if (performance.now() > end) throw new Error(`in vain: ${String(condition)}`);
  }
}
