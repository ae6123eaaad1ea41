/**
 * Runs work on each item, one after the other, until it is aborted. A failure does not keep the work from the items that follow.
 * @throws the first failure, after the last item
 */
export async function inTurn<Item>(
  items: Iterable<Item>,
  work: (item: Item, signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    if (signal.aborted) break;
    await work(item, signal).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
