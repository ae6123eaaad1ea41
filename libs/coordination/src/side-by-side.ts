import { setTimeout as delay } from 'node:timers/promises';
import { Semaphore } from './semaphore.ts';

export interface Lanes<Item> {
  readonly read: () => Promise<readonly Item[]>;
  readonly keyOf: (item: Item) => string;
  /** Each `yield` ends a step. */
  readonly work: (item: Item, signal: AbortSignal) => AsyncIterable<unknown>;
  /** @default 2 */
  readonly atOnce?: number;
  /** @default 1000 */
  readonly againMs?: number;
}

const MAX_LANES = 100;

/** @throws the first failure, at the end */
export async function sideBySide<Item>(
  { read, keyOf, work, atOnce = 2, againMs = 1_000 }: Lanes<Item>,
  signal: AbortSignal,
): Promise<void> {
  const steps = new Semaphore(atOnce);
  const lanes = new Map<string, Promise<unknown>>();
  const endedAt = new Map<string, number>();
  const failures: unknown[] = [];
  const failed = (error: unknown): 0 => {
    if (failures.length === 0) failures.push(error);
    return 0;
  };

  const walk = async (item: Item): Promise<void> => {
    const walked = work(item, signal)[Symbol.asyncIterator]();
    for (let isDone = false; !isDone && !signal.aborted;) isDone = (await steps.run(() => walked.next())).done === true;
    await walked.return?.();
  };
  const begin = (key: string, item: Item): void => {
    const lane = walk(item)
      .catch(failed)
      .finally(() => {
        lanes.delete(key);
        endedAt.set(key, performance.now());
      });
    lanes.set(key, lane);
  };
  const isWaiting = (key: string): boolean =>
    !lanes.has(key) && performance.now() - (endedAt.get(key) ?? -Infinity) >= againMs;

  const beginAll = async (): Promise<number> => {
    let started = 0;
    for (const item of await read()) {
      if (lanes.size >= MAX_LANES) break;
      if (!isWaiting(keyOf(item))) continue;
      begin(keyOf(item), item);
      started++;
    }
    return started;
  };

  for (let started = 1; !signal.aborted && (started > 0 || lanes.size > 0);) {
    started = await beginAll().catch(failed);
    const pause = new AbortController();
    const tick = delay(againMs, undefined, { signal: pause.signal }).catch(() => undefined);
    await Promise.race([Promise.all(lanes.values()), tick]);
    pause.abort();
  }
  await Promise.all(lanes.values());
  if (failures.length > 0) throw failures[0];
}
