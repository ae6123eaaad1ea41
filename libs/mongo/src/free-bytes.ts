import type { Db } from 'mongodb';

/** The free bytes on the volume of the primary's data; undefined where the server does not tell, such as behind a router of shards. */
export async function freeBytes(db: Db): Promise<number | undefined> {
  const { fsTotalSize, fsUsedSize } = await db.command({ dbStats: 1, scale: 1 });
  // Both are 0 for a database that does not exist.
  if (typeof fsTotalSize !== 'number' || typeof fsUsedSize !== 'number' || fsTotalSize === 0) return undefined;
  return Math.max(0, fsTotalSize - fsUsedSize);
}
