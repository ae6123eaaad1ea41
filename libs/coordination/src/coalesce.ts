interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does together what arrives while the last group is under way: no timer, no waiting when idle. A failed group fails all its items.
 * @param run answers each item, in order
 * @param max items in a group at most
 */
export function coalesce<In, Out>(
  run: (items: readonly In[]) => Promise<readonly Out[]>,
  max = 64,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let running = false;

  const drain = async (): Promise<void> => {
    // What the same turn brings goes together.
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
