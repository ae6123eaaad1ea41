import { setTimeout as delay } from 'node:timers/promises';

export interface BatcherOptions<In> {
  /** @default 64 */
  readonly maxItems?: number;
  readonly sizeOf?: (item: In) => number;
  /** @default unlimited */
  readonly maxSize?: number;
  /** Batches all items of a turn of the event loop. @default those of the same task */
  readonly wholeTurn?: boolean;
  /** Also batches items of turns that begin within this time. @default 0 */
  readonly gatherMs?: number;
  /** Between the beginnings of two batches. @default 0 */
  readonly minIntervalMs?: number;
  /** Repeats a failed batch item by item. @default never */
  readonly mayBeOneItem?: (error: unknown) => boolean;
}

export interface Batcher<In, Out> {
  readonly submit: (item: In) => Promise<Out>;
  readonly drained: () => Promise<void>;
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An item that finds no batch in progress waits for nothing. @param run returns each item's result, in order */
export function batcher<In, Out>(
  run: (items: readonly In[]) => Promise<readonly Out[]>,
  {
    maxItems = 64,
    sizeOf = () => 0,
    maxSize = Infinity,
    wholeTurn = false,
    gatherMs = 0,
    minIntervalMs = 0,
    mayBeOneItem = () => false,
  }: BatcherOptions<In> = {},
): Batcher<In, Out> {
  let waiting: Waiting<In, Out>[] = [];
  let running: Promise<void> | undefined;
  let nextAt = -Infinity;

  const take = (): Waiting<In, Out>[] => {
    let size = 0;
    let count = 0;
    for (const { item } of waiting) {
      size += sizeOf(item);
      if (count > 0 && (count === maxItems || size > maxSize)) break;
      count++;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  };

  const finish = async (group: readonly Waiting<In, Out>[]): Promise<void> => {
    try {
      const results = await run(group.map(({ item }) => item));
      group.forEach(({ resolve }, i) => resolve(results[i] as Out));
    } catch (error) {
      if (group.length > 1 && mayBeOneItem(error)) for (const one of group) await finish([one]);
      else for (const { reject } of group) reject(error);
    }
  };

  const drain = async (): Promise<void> => {
    // Items of the same turn are batched.
    await Promise.resolve();
    while (waiting.length > 0) {
      if (gatherMs > 0) await delay(gatherMs);
      else if (wholeTurn) await turn();
      const waitMs = nextAt - performance.now();
      if (waitMs > 0) await delay(waitMs);
      nextAt = performance.now() + minIntervalMs;
      await finish(take());
    }
    running = undefined;
  };

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= drain();
      }),
    async drained() {
      await running;
    },
  };
}
