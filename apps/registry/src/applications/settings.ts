import { type AccountAction, DEFAULT_ACCOUNT, DENIED } from '@tidings/audience';
import { type Clock, Fault } from '@tidings/kernel';
import type { Accounts, ApplicationView } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { existing } from './existing.ts';
import { leasesOver } from './leases.ts';
import { withNewCode } from './new-code.ts';
import { applicationView } from './application-view.ts';

type SettingMethods = Pick<
  Accounts,
  | 'setDebug'
  | 'setControlGroup'
  | 'setCapping'
  | 'setAtMostOnce'
  | 'setTracking'
  | 'setTokenRequirements'
  | 'setCategories'
  | 'setSenders'
  | 'setPlan'
  | 'createGroup'
  | 'findGroup'
>;

/** Settings of applications and accounts that operators change (R-T8). */
export function settingsRpc(store: AccountStore, write: AccountWriter, clock: Clock): SettingMethods {
  const now = (): Date => new Date(clock.now());

  /** Operators name no account: the application determines it. */
  const change = async (application: string, action: AccountAction): Promise<ApplicationView> => {
    const { account } = await existing(store, application);
    await write({ account, action, at: now() });
    return applicationView(await existing(store, application));
  };

  return {
    async setDebug({ application, on }) {
      return { debugUntil: (await change(application, { type: 'setDebug', application, on })).debugUntil };
    },

    setControlGroup: ({ application, percentage }) =>
      change(application, { type: 'setControlGroup', application, percentage }),

    setCapping: ({ application, days, count }) => change(application, { type: 'setCapping', application, days, count }),

    setAtMostOnce: ({ application, on }) => change(application, { type: 'setAtMostOnce', application, on }),

    setTracking: ({ application, on }) => change(application, { type: 'setTracking', application, on }),

    setTokenRequirements: ({ application, inbox, testDevices }) =>
      change(application, { type: 'setTokenRequirements', application, inbox, testDevices }),

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

    async setSenders({ account, required, verified }) {
      const owner = account || DEFAULT_ACCOUNT;
      await write({ account: owner, action: { type: 'setSenders', required, verified }, at: now() });
      const senders = await store.senders(owner);
      return { ...senders, verified: [...senders.verified] };
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
