import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 50;

/** Options for the log writer of a suite that does not test the deadline of answers: a slow store does not fail its commands. */
export const PATIENT = { answerWithinMs: PATIENCE_MS } as const;

/** Whether a call failed without a reply, or with a reply of 500 and above. */
export function hasNoAnswer(error: unknown): boolean {
  const status = (error as { readonly reply?: { readonly status: number } }).reply?.status;
  return status === undefined || status >= 500;
}

/** Repeats an unanswered call for a minute, as clients do. The call must be idempotent: it has a `transactionId`, or only sets values. */
export async function answered<T>(call: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!hasNoAnswer(error) || performance.now() > giveUpAt) throw error;
      await delay(PAUSE_MS);
    }
  }
}
