export interface BatcherOptions<In> {
  /** Items in a group at most. @default 64 */
  readonly maxItems?: number;
  /** The size of an item, in any unit. @default 0 */
  readonly sizeOf?: (item: In) => number;
  /** The size of a group at most, unless one item is larger. @default any */
  readonly maxSize?: number;
  /** Whether a group that failed with this error is repeated item by item, so that only the items at fault fail. @default never */
  readonly mayBeOneItem?: (error: unknown) => boolean;
}

/** Does single items together. */
export interface Batcher<In, Out> {
  /** Resolves with the answer to the item. Items are done in the order of the calls. */
  readonly submit: (item: In) => Promise<Out>;
  /** Resolves when nothing waits or is under way. */
  readonly drained: () => Promise<void>;
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does together what arrives while the last group is under way: no timer, no waiting when idle. A failed group fails all its items.
 * @param run answers each item, in order
 */
export function batcher<In, Out>(
  run: (items: readonly In[]) => Promise<readonly Out[]>,
  { maxItems = 64, sizeOf = () => 0, maxSize = Infinity, mayBeOneItem = () => false }: BatcherOptions<In> = {},
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
    // What the same turn brings goes together.
    await Promise.resolve();
    while (waiting.length > 0) await finish(take());
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
