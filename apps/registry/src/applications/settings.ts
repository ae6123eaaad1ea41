import type { AccountAction } from '@tidings/audience';
import type { Clock } from '@tidings/kernel';
import type { Applications, ApplicationView } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { existing } from './existing.ts';
import { applicationView } from './application-view.ts';

type SettingMethods = Pick<
  Applications,
  'setDebug' | 'setControlGroup' | 'setCapping' | 'setAtMostOnce' | 'setTracking' | 'setTokenRequirements'
>;

export function settingsRpc(store: AccountStore, write: AccountWriter, clock: Clock): SettingMethods {
  const now = (): Date => new Date(clock.now());

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
  };
}
