export interface WorkQueue<Item> {
  add(item: Item): void;
  drained(): Promise<void>;
}

/** Items that arrive meanwhile are worked on together. @param work must not reject */
export function queuedWork<Item>(work: (items: readonly Item[]) => Promise<void>, maxItems = 500): WorkQueue<Item> {
  const waiting: Item[] = [];
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    // Items of one turn go together.
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
