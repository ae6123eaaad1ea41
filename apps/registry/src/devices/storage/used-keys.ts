import type { Db } from 'mongodb';
import type { UsedKey } from '../commands/device-decisions.ts';
import { KEYS } from './key-collection.ts';

export async function usedKeys(db: Db, ids: readonly string[], at: Date): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const keys = db.collection<UsedKey & { readonly _id: string }>(KEYS);
  const used = await keys.find({ _id: { $in: [...ids] }, until: { $gt: at } }, { projection: { _id: 1 } }).toArray();
  return new Set(used.map(({ _id }) => _id));
}
