import { isUnreachable } from './failure.ts';

export type Sleep = (ms: number) => Promise<void>;

export const sleep: Sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Browsers end a service worker whose event takes longer than some 30 s. */
const DELAYS_MS = [1000, 4000, 12_000];

/** Repeats work that is unreachable, at most three times. */
export async function withRetries<T>(work: () => Promise<T>, wait: Sleep = sleep): Promise<T> {
  for (const delay of DELAYS_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      await wait(delay);
    }
  }
  return work();
}
