import { modelOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { addressesModel } from '../accounts/storage/accounts.schema.ts';

export type BlacklistReader = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

export const openBlacklist =
  (db: Db): BlacklistReader =>
  async (ids) => {
    if (ids.length === 0) return new Set();
    const found = await modelOf(db, addressesModel)
      .find({ _id: { $in: [...ids] }, since: { $exists: true } }, { _id: 1 })
      .lean<{ readonly _id: string }[]>();
    return new Set(found.map(({ _id }) => _id));
  };
