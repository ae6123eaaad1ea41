export interface BatcherOptions<In> {
  /** Maximum items in a batch. @default 64 */
  readonly maxItems?: number;
  /** The size of an item, in any unit. @default 0 */
  readonly sizeOf?: (item: In) => number;
  /** Maximum size of a batch, unless one item is larger. @default unlimited */
  readonly maxSize?: number;
  /**
   * Whether a batch begins at the end of a turn of the event loop, with all items that several sockets brought in it. An idle process waits for
   * microseconds. @default it begins with the items of the same task
   */
  readonly wholeTurn?: boolean;
  /** Whether a batch that failed with this error is repeated item by item, so that only faulty items fail. @default never */
  readonly mayBeOneItem?: (error: unknown) => boolean;
}

/** Processes single items in batches. */
export interface Batcher<In, Out> {
  /** Resolves with the item's result. Items are processed in the order of the calls. */
  readonly submit: (item: In) => Promise<Out>;
  /** Resolves when nothing is waiting or in progress. */
  readonly drained: () => Promise<void>;
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Batches items that arrive while the previous batch is running: no timer, no wait when idle. A failed batch fails all its items.
 * @param run returns the result of each item, in order
 */
export function batcher<In, Out>(
  run: (items: readonly In[]) => Promise<readonly Out[]>,
  {
    maxItems = 64,
    sizeOf = () => 0,
    maxSize = Infinity,
    wholeTurn = false,
    mayBeOneItem = () => false,
  }: BatcherOptions<In> = {},
): Batcher<In, Out> {
  let waiting: Waiting<In, Out>[] = [];
  let running: Promise<void> | undefined;

  const take = (): Waiting<In, Out>[] => {
    let size = 0;
    let count = 0;
    for (const { item } of waiting) {
      size += sizeOf(item);
      if (count > 0 && (count === maxItems || size > maxSize)) break;
      count++;
    }
    const taken = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return taken;
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
      if (wholeTurn) await turn();
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
