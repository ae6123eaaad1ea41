import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;
const PAUSE_MS = 50;

/** For suites that do not test deadlines: a slow store does not fail their commands. */
export const LONG_TIMEOUT = { answerWithinMs: TIMEOUT_MS } as const;

export function hasNoAnswer(error: unknown): boolean {
  const status = (error as { readonly reply?: { readonly status: number } }).reply?.status;
  return status === undefined || status >= 500;
}

/** For a minute, as clients do. The call must be idempotent. */
export async function retryUntilAnswered<T>(call: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!hasNoAnswer(error) || performance.now() > giveUpAt) throw error;
      await delay(PAUSE_MS);
    }
  }
}
