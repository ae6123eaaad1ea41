import type { Document } from 'mongodb';

/** Maximum number of entries on a page. */
export const PAGE_ENTRIES = 500;
/**
 * A page ends with the entry that reaches this size. With one more entry of maximum size it stays far below the limit of a message between services.
 */
const PAGE_BYTES = 1 << 20;
/** Entries per database batch: the largest exceed 1 MiB each. */
const BATCH = 50;

/** A part of a list. `next` requests the following part; "" on the last one. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string;
}

/** Orders a list by a number or time field, then by `_id`. Both are immutable. Entries without the field come first. */
export interface Order {
  readonly field: string;
  readonly isTime?: boolean;
}

/** The sort of a list. With an index that ends with it, a page costs only its entries. */
export const sortOf = ({ field }: Order): Record<string, 1> => ({ [field]: 1, _id: 1 });

/** A filter for the entries after a page that ended with `next`. */
export function behind({ field, isTime }: Order, next: string): Document {
  if (next === '') return {};
  const [, number = '', _id = ''] = /^(\d*)\.(.*)$/s.exec(next) ?? [];
  if (number === '') return { $or: [{ [field]: null, _id: { $gt: _id } }, { [field]: { $exists: true } }] };
  const at = isTime ? new Date(Number(number)) : Number(number);
  // The range bounds the index scan; entries as old as the last one are told apart by id.
  return { [field]: { $gte: at }, $nor: [{ [field]: at, _id: { $lte: _id } }] };
}

/** A query of a model, sorted. */
interface PageQuery {
  limit(entries: number): PageQuery;
  batchSize(entries: number): PageQuery;
  lean(): PageQuery;
  cursor(): AsyncIterable<unknown> & { close(): Promise<void> };
}

/**
 * Reads one page: at most {@link PAGE_ENTRIES} entries, ending with the one that reaches a MiB.
 * @param sizeOf approximate bytes of an entry
 */
export async function readPage<Entry extends Document>(
  query: PageQuery,
  { field }: Order,
  sizeOf: (entry: Entry) => number,
): Promise<Page<Entry>> {
  const entries: Entry[] = [];
  let bytes = 0;
  const cursor = query
    .limit(PAGE_ENTRIES + 1)
    .batchSize(BATCH)
    .lean()
    .cursor();
  try {
    for await (const entry of cursor as AsyncIterable<Entry>) {
      if (entries.length === PAGE_ENTRIES || bytes >= PAGE_BYTES) {
        const last = entries.at(-1)!;
        const at: unknown = last[field];
        return { entries, next: `${at === undefined ? '' : Number(at)}.${String(last['_id'])}` };
      }
      entries.push(entry);
      bytes += sizeOf(entry);
    }
    return { entries, next: '' };
  } finally {
    await cursor.close();
  }
}
