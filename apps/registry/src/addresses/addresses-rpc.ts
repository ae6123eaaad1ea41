import type { KeyObject } from 'node:crypto';
import { type AddressAction, type AddressState, DEFAULT_ACCOUNT } from '@tidings/audience';
import type { Clock } from '@tidings/kernel';
import { modelOf } from '@tidings/mongo';
import { addressId } from '@tidings/registry-store';
import type { Addresses, AddressRequest } from '@tidings/rpc';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { addressHashes } from '../identities/identity-keys.ts';
import { listSuppressed } from './list-suppressed.ts';
import { addressesModel } from '../accounts/storage/accounts.schema.ts';

export interface AddressDeps {
  readonly db: Db;
  readonly store: Pick<AccountStore, 'applicationsOf' | 'senders'>;
  readonly write: AccountWriter;
  readonly clock: Clock;
  readonly tokenKey: KeyObject;
}

interface HashedAddress {
  readonly account: string;
  readonly hashes: readonly string[];
}

const CLEARED = { clearAddress: 'since', clearComplaint: 'complained' } as const;

const earliest = (times: readonly (Date | undefined)[]): Date | undefined =>
  times.flatMap((time) => time ?? []).sort((a, b) => a.getTime() - b.getTime())[0];

export function addressesRpc({ db, store, write, clock, tokenKey }: AddressDeps): Addresses {
  const addresses = modelOf(db, addressesModel);

  const hashedAddress = ({ account, email }: AddressRequest): HashedAddress => ({
    account: account || DEFAULT_ACCOUNT,
    hashes: addressHashes(tokenKey, email),
  });
  const statesOf = async ({ account, hashes }: HashedAddress): Promise<readonly AddressState[]> => {
    const ids = hashes.map((hash) => addressId(account, hash));
    return addresses.find({ _id: { $in: ids } }).lean<AddressState[]>();
  };
  const find = async (address: HashedAddress) => {
    const states = await statesOf(address);
    return {
      blacklistedSince: earliest(states.map(({ since }) => since)),
      complainedSince: earliest(states.map(({ complained }) => complained)),
    };
  };
  const decide = async ({ account, hashes }: HashedAddress, type: AddressAction['type']): Promise<void> => {
    const at = new Date(clock.now());
    await Promise.all(hashes.map((address) => write({ account, action: { type, address }, at })));
  };
  const clear = async (address: HashedAddress, type: keyof typeof CLEARED): Promise<void> => {
    const set = (await statesOf(address)).filter((state) => state[CLEARED[type]] !== undefined);
    const hashes = set.length === 0 ? address.hashes.slice(0, 1) : set.map((state) => state.address);
    await decide({ ...address, hashes }, type);
  };

  return {
    async setSenders({ account, required, verified }) {
      const owner = account || DEFAULT_ACCOUNT;
      await write({ account: owner, action: { type: 'setSenders', required, verified }, at: new Date(clock.now()) });
      const senders = await store.senders(owner);
      return { ...senders, verified: [...senders.verified] };
    },
    listSuppressed: (request) => listSuppressed({ db, store }, request),
    findAddress: (request) => find(hashedAddress(request)),
    async blacklistAddress(request) {
      const address = hashedAddress(request);
      await decide(address, 'blacklistAddress');
      return find(address);
    },
    async clearAddress(request) {
      await clear(hashedAddress(request), 'clearAddress');
      return {};
    },
    async recordComplaint(request) {
      const address = hashedAddress(request);
      await decide(address, 'recordComplaint');
      return find(address);
    },
    async clearComplaint(request) {
      await clear(hashedAddress(request), 'clearComplaint');
      return {};
    },
  };
}
