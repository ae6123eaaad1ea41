import type { Document } from 'mongodb';

const PAGE_ENTRIES = 500;
/** One more entry of maximum size must fit into a message between services. */
const PAGE_BYTES = 1 << 20;
/** The largest entries exceed 1 MiB each. */
const BATCH = 50;

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: string;
}

/** Both fields are immutable. Entries without the field come first. */
export interface Order {
  readonly field: string;
  readonly isTime?: boolean;
  /** Every entry needs the field then. @default false */
  readonly isDescending?: boolean;
}

export function sortOf({ field, isDescending = false }: Order): Record<string, 1 | -1> {
  const direction = isDescending ? -1 : 1;
  return { [field]: direction, _id: direction };
}

export function behind({ field, isTime, isDescending = false }: Order, next: string): Document {
  if (next === '') return {};
  const [, number = '', _id = ''] = /^(\d*)\.(.*)$/s.exec(next) ?? [];
  if (number === '') return { $or: [{ [field]: null, _id: { $gt: _id } }, { [field]: { $exists: true } }] };
  const at = isTime ? new Date(Number(number)) : Number(number);
  const [from, passed] = isDescending ? (['$lte', '$gte'] as const) : (['$gte', '$lte'] as const);
  return { [field]: { [from]: at }, $nor: [{ [field]: at, _id: { [passed]: _id } }] };
}

interface PageQuery {
  limit(entries: number): PageQuery;
  batchSize(entries: number): PageQuery;
  lean(): PageQuery;
  cursor(): AsyncIterable<unknown> & { close(): Promise<void> };
}

export async function readPage<Entry extends Document>(
  query: PageQuery,
  { field }: Order,
  sizeOf: (entry: Entry) => number = () => 0,
  limit = PAGE_ENTRIES,
): Promise<Page<Entry>> {
  const entries: Entry[] = [];
  let bytes = 0;
  const cursor = query
    .limit(limit + 1)
    .batchSize(BATCH)
    .lean()
    .cursor();
  try {
    for await (const entry of cursor as AsyncIterable<Entry>) {
      if (entries.length === limit || bytes >= PAGE_BYTES) {
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
