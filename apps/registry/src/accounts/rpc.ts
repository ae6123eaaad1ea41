import { type Clock, newCode } from '@tidings/kernel';
import type { Accounts } from '@tidings/rpc';
import { masterKeyId } from '@tidings/runtime';
import type { AccountStore } from './store.ts';
import type { AccountWriter } from './writer.ts';

/** Accounts; there is one by default, others come by the admin API (architecture 5). */
export const accountsRpc = (
  store: AccountStore,
  write: AccountWriter,
  { clock, masterKey }: { readonly clock: Clock; readonly masterKey: Uint8Array },
): Pick<Accounts, 'createAccount' | 'findAccount' | 'getMasterKeyId'> => ({
  async createAccount({ name }) {
    const account = newCode();
    await write({ account, action: { type: 'createAccount', name }, at: new Date(clock.now()) });
    return { account };
  },

  findAccount: async ({ account }) => ({ found: await store.hasAccount(account) }),

  getMasterKeyId: async () => ({ id: masterKeyId(masterKey) }),
});
