interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches items that arrive while the previous batch is running: no timer, no wait when idle. A failed batch fails all its items.
 * @param run returns the result of each item, in order
 * @param max maximum items in a batch
 */
export function coalesce<In, Out>(
  run: (items: readonly In[]) => Promise<readonly Out[]>,
  max = 64,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let running = false;

  const drain = async (): Promise<void> => {
    // Items of the same turn are batched.
    await Promise.resolve();
    while (waiting.length > 0) {
      const group = waiting.slice(0, max);
      waiting = waiting.slice(max);
      try {
        const results = await run(group.map(({ item }) => item));
        group.forEach(({ resolve }, i) => resolve(results[i] as Out));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    running = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running) return;
      running = true;
      void drain();
    });
}
