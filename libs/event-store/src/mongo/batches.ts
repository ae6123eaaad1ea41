const MAX_BYTES = 16 * 1024 * 1024;
const MAX_DOCUMENTS = 10_000;

export function batchesOf<T>(items: readonly T[], bytesOf: (item: T) => number): readonly (readonly T[])[] {
  const batches: T[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    const size = bytesOf(item);
    if (bytes + size > MAX_BYTES || batches.at(-1)!.length >= MAX_DOCUMENTS) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(item);
    bytes += size;
  }
  return batches;
}
