import { batcher } from './batcher.ts';

export interface SharedReadsOptions {
  /** Maximum ids in a read, unless one call has more. @default 1000 */
  readonly maxIds?: number;
  /** Whether a read that failed with this error is repeated call by call. @default never */
  readonly mayBeOneItem?: (error: unknown) => boolean;
}

/**
 * Calls that wait during a read share the next one, which begins after all of them: no call gets older data than by a read of its own. Each resolves
 * with what was found for its ids, and perhaps for others.
 */
export function sharedReads<Found>(
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>,
  { maxIds = 1000, mayBeOneItem }: SharedReadsOptions = {},
): (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>> {
  const together = batcher(
    async (calls: readonly (readonly string[])[]) => {
      const found = await read([...new Set(calls.flat())]);
      return calls.map(() => found);
    },
    {
      wholeTurn: true,
      maxItems: maxIds,
      sizeOf: (ids) => ids.length,
      maxSize: maxIds,
      ...(mayBeOneItem && { mayBeOneItem }),
    },
  );
  return async (ids) => (ids.length === 0 ? new Map() : together.submit(ids));
}
