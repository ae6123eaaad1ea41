import { setTimeout as delay } from 'node:timers/promises';

export async function withTimeout(ms: number, work: Promise<unknown> = Promise.resolve()): Promise<void> {
  const timer = new AbortController();
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([settled, delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}
