import type { Db } from 'mongodb';

export async function freeBytes(db: Db): Promise<number | undefined> {
  const { fsTotalSize, fsUsedSize } = await db.command({ dbStats: 1, scale: 1 });
  if (typeof fsTotalSize !== 'number' || typeof fsUsedSize !== 'number' || fsTotalSize === 0) return undefined;
  return Math.max(0, fsTotalSize - fsUsedSize);
}
