import { batcher } from './batcher.ts';

export interface SharedWritesOptions {
  /** @default 1000 */
  readonly maxItems?: number;
  readonly mayBeOneItem?: (error: unknown) => boolean;
  /** @default 0 */
  readonly gatherMs?: number;
}

/** The write must be idempotent: failed ones may be repeated alone. */
export function sharedWrites<Item>(
  write: (items: readonly Item[]) => Promise<unknown>,
  { maxItems = 1000, mayBeOneItem, gatherMs = 0 }: SharedWritesOptions = {},
): (items: readonly Item[]) => Promise<void> {
  const batched = batcher(
    async (calls: readonly (readonly Item[])[]) => {
      await write(calls.length === 1 ? calls[0]! : calls.flat());
      return calls.map(() => undefined);
    },
    {
      wholeTurn: true,
      gatherMs,
      maxItems,
      sizeOf: ({ length }) => length,
      maxSize: maxItems,
      ...(mayBeOneItem && { mayBeOneItem }),
    },
  );
  return async (items) => {
    if (items.length === 0) return;
    if (items.length < maxItems) await batched.submit(items);
    else await write(items);
  };
}
