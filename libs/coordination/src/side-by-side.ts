import { setTimeout as delay } from 'node:timers/promises';
import { Semaphore } from './semaphore.ts';

export interface Lanes<Item> {
  /** The items with work to do. It is called again while there is work, so that later items join. */
  readonly read: () => Promise<readonly Item[]>;
  readonly keyOf: (item: Item) => string;
  /** The work on an item in bounded steps: each `yield` ends one. It is ended early when the signal is aborted. */
  readonly work: (item: Item, signal: AbortSignal) => AsyncIterable<unknown>;
  /** Steps of different items at a time; the others wait their turn. @default 2 */
  readonly atOnce?: number;
  /** Milliseconds between two readings, and until an item that is done begins again if it is still there. @default 1000 */
  readonly againMs?: number;
}

/** Items in progress; more wait until one is done. */
const MOST_LANES = 100;

/**
 * Works on all items side by side, a step of each in turn: an item with little work never waits until one with much is done. Ends when no item has
 * work in progress. A failure does not keep the work from the other items.
 * @throws the first failure, at the end
 */
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
    let begun = 0;
    for (const item of await read()) {
      if (lanes.size >= MOST_LANES) break;
      if (!isWaiting(keyOf(item))) continue;
      begin(keyOf(item), item);
      begun++;
    }
    return begun;
  };

  for (let begun = 1; !signal.aborted && (begun > 0 || lanes.size > 0);) {
    begun = await beginAll().catch(failed);
    const pause = new AbortController();
    const tick = delay(againMs, undefined, { signal: pause.signal }).catch(() => undefined);
    await Promise.race([Promise.all(lanes.values()), tick]);
    pause.abort();
  }
  await Promise.all(lanes.values());
  if (failures.length > 0) throw failures[0];
}
