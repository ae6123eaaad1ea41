export interface WorkQueue<Item> {
  add(item: Item): void;
  drained(): Promise<void>;
}

const AT_ONCE = 500;

/** Items that arrive meanwhile are worked on together. @param work must not reject */
export function queuedWork<Item>(work: (items: readonly Item[]) => Promise<void>): WorkQueue<Item> {
  const waiting: Item[] = [];
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    // Items of one turn go together.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await work(waiting.splice(0, AT_ONCE));
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
