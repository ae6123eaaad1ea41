import { batcher } from './batcher.ts';

export interface SharedReadsOptions {
  /** @default 1000 */
  readonly maxIds?: number;
  readonly mayBeOneItem?: (error: unknown) => boolean;
  /** @default 0 */
  readonly gatherMs?: number;
}

/** A call gets no older data than by its own read. */
export function sharedReads<Found>(
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>,
  { maxIds = 1000, mayBeOneItem, gatherMs = 0 }: SharedReadsOptions = {},
): (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>> {
  const batched = batcher(
    async (calls: readonly (readonly string[])[]) => {
      const found = await read([...new Set(calls.flat())]);
      return calls.map(() => found);
    },
    {
      wholeTurn: true,
      gatherMs,
      maxItems: maxIds,
      sizeOf: (ids) => ids.length,
      maxSize: maxIds,
      ...(mayBeOneItem && { mayBeOneItem }),
    },
  );
  return async (ids) => (ids.length === 0 ? new Map() : batched.submit(ids));
}
