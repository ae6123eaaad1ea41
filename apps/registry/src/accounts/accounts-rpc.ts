import { DEFAULT_ACCOUNT, DENIED } from '@tidings/audience';
import { type Clock, Fault, newCode } from '@tidings/kernel';
import type { Accounts } from '@tidings/rpc';
import { type DeploymentKeys, reportKeys } from '@tidings/runtime';
import type { AccountStore } from './account-store.ts';
import type { AccountWriter } from './account-writer.ts';
import { leasesOver } from './leases.ts';
import { withNewCode } from './new-code.ts';

export function accountsRpc(
  store: AccountStore,
  write: AccountWriter,
  { clock, keys }: { readonly clock: Clock; readonly keys: DeploymentKeys },
): Accounts {
  const now = (): Date => new Date(clock.now());
  return {
    async createAccount({ name }) {
      const account = newCode();
      await write({ account, action: { type: 'createAccount', name }, at: now() });
      return { account };
    },

    async findAccount({ account }) {
      const [found, categories] = await Promise.all([store.hasAccount(account), store.categories(account)]);
      return { found, categories };
    },

    getMasterKeyId: async () => reportKeys(keys.master, keys.identity),

    async setCategories({ account, categories }) {
      const owner = account || DEFAULT_ACCOUNT;
      await write({ account: owner, action: { type: 'setCategories', categories }, at: now() });
      return { categories: await store.categories(owner) };
    },

    async setPlan({ account, emailOnly }) {
      await write({ account, action: { type: 'setPlan', emailOnly }, at: now() });
      await leasesOver();
      return {};
    },

    async listAccounts({ after, limit }) {
      const { entries, next } = await store.listAccounts(after, limit);
      const accounts = entries.map(({ _id: account, name, createdAt, emailOnly = false }) => ({
        account,
        name,
        createdAt,
        emailOnly,
      }));
      return { accounts, next };
    },

    async listGroups({ account, after, limit }) {
      const { entries, next } = await store.listGroups(account || DEFAULT_ACCOUNT, after, limit);
      const groups = entries.map(({ code, name, applications, createdAt }) => ({
        code,
        name,
        applications: [...applications],
        createdAt,
      }));
      return { groups, next };
    },

    async createGroup({ name, applications }) {
      const [first] = await store.applications(applications);
      if (!first) throw Fault.argument(DENIED);
      const { account } = first;
      const code = await withNewCode((group) =>
        write({ account, action: { type: 'createGroup', code: group, name, applications }, at: now() }),
      );
      return { code };
    },

    async findGroup({ account, group: code }) {
      const [group] = await store.groups(account, [code]);
      return { applications: [...(group?.applications ?? [])] };
    },
  };
}
