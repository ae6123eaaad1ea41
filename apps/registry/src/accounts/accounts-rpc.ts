import { type Clock, newCode } from '@tidings/kernel';
import type { Accounts } from '@tidings/rpc';
import { type DeploymentKeys, reportKeys } from '@tidings/runtime';
import type { AccountStore } from './account-store.ts';
import type { AccountWriter } from './account-writer.ts';

/** Accounts. One exists by default; the admin API creates others (architecture 5). */
export const accountsRpc = (
  store: AccountStore,
  write: AccountWriter,
  { clock, keys }: { readonly clock: Clock; readonly keys: DeploymentKeys },
): Pick<Accounts, 'createAccount' | 'findAccount' | 'getMasterKeyId'> => ({
  async createAccount({ name }) {
    const account = newCode();
    await write({ account, action: { type: 'createAccount', name }, at: new Date(clock.now()) });
    return { account };
  },

  async findAccount({ account }) {
    const [found, categories] = await Promise.all([store.hasAccount(account), store.categories(account)]);
    return { found, categories };
  },

  getMasterKeyId: async () => reportKeys(keys.master, keys.identity),
});
