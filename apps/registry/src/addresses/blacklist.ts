import type { AddressState } from '@tidings/audience';
import type { Db } from 'mongodb';
import { ADDRESSES } from '../accounts/account-collections.ts';

/** The ones of these e-mail addresses, by `addressId`, that are on their account's blacklist. */
export type BlacklistReader = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

export const openBlacklist =
  (db: Db): BlacklistReader =>
  async (ids) => {
    if (ids.length === 0) return new Set();
    const found = await db
      .collection<AddressState & { readonly _id: string }>(ADDRESSES)
      .find({ _id: { $in: [...ids] }, since: { $exists: true } }, { projection: { _id: 1 } })
      .toArray();
    return new Set(found.map(({ _id }) => _id));
  };
