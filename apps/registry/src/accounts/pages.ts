import type { Document } from 'mongodb';

/** Entries of a page at most. */
export const PAGE_ENTRIES = 500;
/** A page ends with the entry that reaches this: with one more of the largest it is far from what a message between services may have. */
const PAGE_BYTES = 1 << 20;
/** Entries that the database sends at a time: the largest may have more than 1 MiB each. */
const BATCH = 50;

/** Part of a list, and what to ask for to get the next part: "" behind the last one. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string;
}

/** What a list is ordered by: a field with a number or a time, and `_id` among equals. Both never change. What has no such field comes first. */
export interface Order {
  readonly field: string;
  readonly isTime?: boolean;
}

/** The sort of a list; an index that ends with it makes a page cost no more than its entries. */
export const sortOf = ({ field }: Order): Record<string, 1> => ({ [field]: 1, _id: 1 });

/** The entries behind a page that ended with `next`. */
export function behind({ field, isTime }: Order, next: string): Document {
  if (next === '') return {};
  const [, number = '', _id = ''] = /^(\d*)\.(.*)$/s.exec(next) ?? [];
  if (number === '') return { $or: [{ [field]: null, _id: { $gt: _id } }, { [field]: { $exists: true } }] };
  const at = isTime ? new Date(Number(number)) : Number(number);
  // The bound of the index is the range; what is as old as the last entry is told apart by its id.
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
 * Reads one page: {@link PAGE_ENTRIES} entries at most, and no more than a MiB with the last of them left out of account.
 * @param sizeOf bytes of an entry, about
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
