import { type AddressState, DEFAULT_ACCOUNT } from '@tidings/audience';
import { behind, modelOf, readPage, sortOf } from '@tidings/mongo';
import { type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import { type ListSuppressedReply, type ListSuppressedRequest, SuppressionReason } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/account-store.ts';
import { addressesModel } from '../accounts/storage/accounts.schema.ts';

export interface SuppressedDeps {
  readonly db: Db;
  readonly store: Pick<AccountStore, 'applicationsOf'>;
}

type Suppressed = AddressState & { readonly _id: string };

/** Bounds the look-ups of a page, one for each application and address. */
const MAX_APPLICATIONS = 100;

async function textsOf(
  { db, store }: SuppressedDeps,
  account: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const applications = (await store.applicationsOf(account)).slice(0, MAX_APPLICATIONS).map(({ code }) => code);
  const found = await db
    .collection<DeviceDocument>(DEVICES)
    .find(
      { app: { $in: applications }, th: { $in: [...hashes] } },
      { projection: { _id: 0, th: 1, token: 1 }, hint: deviceIndexes.token },
    )
    .toArray();
  return new Map(found.flatMap(({ th, token }) => (th && token ? [[th, token.toLowerCase()]] : [])));
}

export async function listSuppressed(
  deps: SuppressedDeps,
  { account, reason, after, limit }: ListSuppressedRequest,
): Promise<ListSuppressedReply> {
  const owner = account || DEFAULT_ACCOUNT;
  const field = reason === SuppressionReason.SUPPRESSION_REASON_COMPLAINED ? 'complained' : 'since';
  const order = { field, isTime: true, isDescending: true };
  const filter = { account: owner, [field]: { $exists: true }, ...behind(order, after) };
  const query = modelOf(deps.db, addressesModel).find(filter).sort(sortOf(order));
  const { entries, next } = await readPage<Suppressed>(query, order, undefined, limit);
  const texts = await textsOf(
    deps,
    owner,
    entries.map(({ address }) => address),
  );
  const addresses = entries.map(({ address: hash, since, complained }) => ({
    hash,
    email: texts.get(hash) ?? '',
    view: { blacklistedSince: since, complainedSince: complained },
  }));
  return { addresses, next };
}
