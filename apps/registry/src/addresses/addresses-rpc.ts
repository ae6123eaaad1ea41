import type { KeyObject } from 'node:crypto';
import { type AddressAction, type AddressState, DEFAULT_ACCOUNT } from '@tidings/audience';
import type { Clock } from '@tidings/kernel';
import { modelOf } from '@tidings/mongo';
import type { Accounts, AddressRequest } from '@tidings/rpc';
import type { Db } from 'mongodb';
import { addressId } from '../accounts/account-collections.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { tokenHash } from '../devices/commands/action-of-command.ts';
import { addressesModel } from '../accounts/storage/accounts.schema.ts';

type AddressMethods = Pick<
  Accounts,
  'blacklistAddress' | 'findAddress' | 'clearAddress' | 'recordComplaint' | 'clearComplaint'
>;

export interface AddressDeps {
  readonly db: Db;
  readonly write: AccountWriter;
  readonly clock: Clock;
  readonly tokenKey: KeyObject;
}

/** Addresses that receive no mail, by account (R-E5, R-E14). Only the hash of an address is stored. */
export function addressesRpc({ db, write, clock, tokenKey }: AddressDeps): AddressMethods {
  const addresses = modelOf(db, addressesModel);

  const known = ({ account, email }: AddressRequest) => ({
    account: account || DEFAULT_ACCOUNT,
    address: tokenHash(tokenKey, email.toLowerCase()),
  });
  const find = async (request: AddressRequest) => {
    const { account, address } = known(request);
    const found = await addresses.findOne({ _id: addressId(account, address) }).lean<AddressState | null>();
    return { blacklistedSince: found?.since, complainedSince: found?.complained };
  };
  const decide = async (request: AddressRequest, type: AddressAction['type']): Promise<void> => {
    const { account, address } = known(request);
    await write({ account, action: { type, address }, at: new Date(clock.now()) });
  };

  return {
    findAddress: find,
    async blacklistAddress(request) {
      await decide(request, 'blacklistAddress');
      return find(request);
    },
    async clearAddress(request) {
      await decide(request, 'clearAddress');
      return {};
    },
    async recordComplaint(request) {
      await decide(request, 'recordComplaint');
      return find(request);
    },
    async clearComplaint(request) {
      await decide(request, 'clearComplaint');
      return {};
    },
  };
}
