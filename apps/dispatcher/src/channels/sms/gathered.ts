/** Work on items that arrive one by one. */
export interface Gathered<Item> {
  /** Adds an item. The work on it begins when that on earlier items has ended. */
  add(item: Item): void;
  /** Resolves when no item waits and no work is under way. */
  drained(): Promise<void>;
}

/**
 * Works on all items that have arrived meanwhile together: no promise for each.
 * @param work must not reject
 */
export function gathered<Item>(work: (items: readonly Item[]) => Promise<void>, maxItems = 500): Gathered<Item> {
  const waiting: Item[] = [];
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    // Items of the same turn of the event loop go together.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await work(waiting.splice(0, maxItems));
    running = undefined;
  };
  return {
    add(item) {
      waiting.push(item);
      running ??= run();
    },
    drained: () => running ?? Promise.resolve(),
  };
}
