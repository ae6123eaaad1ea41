import { setTimeout as delay } from 'node:timers/promises';

/** Waits for work to end, either way, but no longer than this: a broker that does not answer must not block the shutdown. */
export async function within(ms: number, work: Promise<unknown> = Promise.resolve()): Promise<void> {
  const timer = new AbortController();
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([settled, delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}
