import type { Db } from 'mongodb';
import { deviceIndexes, DEVICES } from '../devices/document.ts';

/** How many device records of the application have each language, with or without token (R-RES20). */
export async function countLanguages(db: Db, application: string): Promise<Record<string, bigint>> {
  const rows = await db
    .collection(DEVICES)
    .aggregate<{ _id: string; count: number }>(
      [
        { $match: { app: application, lang: { $exists: true } } },
        { $group: { _id: '$lang', count: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ],
      { hint: deviceIndexes.seq },
    )
    .toArray();
  return Object.fromEntries(rows.map(({ _id, count }) => [_id, BigInt(count)]));
}
