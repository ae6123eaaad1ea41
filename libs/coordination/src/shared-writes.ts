import { batcher } from './batcher.ts';

export interface SharedWritesOptions {
  /** Maximum items in a write; a call with as many has its own, at once. @default 1000 */
  readonly maxItems?: number;
  /** Whether a write that failed with this error is repeated call by call. @default never */
  readonly mayBeOneItem?: (error: unknown) => boolean;
}

/**
 * Calls with a few items each that wait during a write share the next one, in the order of the calls. The write must be idempotent: a call that failed
 * together with others is repeated alone.
 */
export function sharedWrites<Item>(
  write: (items: readonly Item[]) => Promise<unknown>,
  { maxItems = 1000, mayBeOneItem }: SharedWritesOptions = {},
): (items: readonly Item[]) => Promise<void> {
  const together = batcher(
    async (calls: readonly (readonly Item[])[]) => {
      await write(calls.length === 1 ? calls[0]! : calls.flat());
      return calls.map(() => undefined);
    },
    {
      wholeTurn: true,
      maxItems,
      sizeOf: ({ length }) => length,
      maxSize: maxItems,
      ...(mayBeOneItem && { mayBeOneItem }),
    },
  );
  return async (items) => {
    if (items.length === 0) return;
    if (items.length < maxItems) await together.submit(items);
    else await write(items);
  };
}
