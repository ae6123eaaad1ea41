import type { AddressState } from '@tidings/audience';
import type { Db } from 'mongodb';
import { ADDRESSES } from '../accounts/account-log.ts';

/** Which of these addresses of mail, by `addressId`, are on the blacklist of their accounts. */
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
