import type { KeyObject } from 'node:crypto';
import { mailSendersOf } from '@tidings/audience';
import type { Clock } from '@tidings/kernel';
import type { Applications } from '@tidings/rpc';
import type { MasterKeys } from '@tidings/runtime';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { leasesOver } from '../accounts/leases.ts';
import { withNewCode } from '../accounts/new-code.ts';
import { existing } from './existing.ts';
import { getSettings } from './get-settings.ts';
import { openIcons } from './icons.ts';
import type { LanguageFigures } from './language-counts.ts';
import { applicationView, shownSettings } from './application-view.ts';
import { settingsRpc } from './settings.ts';

export interface ApplicationsDeps {
  readonly clock: Clock;
  readonly db: Db;
  readonly languages: Pick<LanguageFigures, 'of'>;
  readonly masterKeys: MasterKeys;
  readonly displayKey: KeyObject;
}

const PAGE = 100;

export function applicationsRpc(
  store: AccountStore,
  write: AccountWriter,
  { clock, db, languages, masterKeys, displayKey }: ApplicationsDeps,
): Applications {
  const now = (): Date => new Date(clock.now());
  const icons = openIcons(db, clock);
  return {
    ...settingsRpc(store, write, clock),

    getIcon: async ({ icon }) => ({ png: await icons.read(icon) }),

    async createApplication({ account, title, icon, sdkIos, sdkAndroid, authorizeAllTokens, tokenId: token }) {
      const details = { title, icon: await icons.store(icon), sdkIos: sdkIos || 'pw', sdkAndroid: sdkAndroid || 'pw' };
      const application = await withNewCode((code) =>
        write({
          account,
          action: { type: 'createApplication', code, ...details, authorizeAllTokens, token },
          at: now(),
        }),
      );
      return { application };
    },

    async updateApplication({ account, application, title, icon: png, sdkIos, sdkAndroid }) {
      const icon = png && (await icons.store(png));
      const action = { type: 'updateApplication', application, title, icon, sdkIos, sdkAndroid } as const;
      await write({ account, action, at: now() });
      return {};
    },

    async deleteApplication({ account, application }) {
      await write({ account, action: { type: 'deleteApplication', application }, at: now() });
      await leasesOver();
      return {};
    },

    async listApplications({ tokenId, page }) {
      const token = await store.token(tokenId);
      if (!token) return { applications: [], count: 0, pages: 0 };
      const { applications, count } = await store.granted(token, (page - 1) * PAGE, PAGE);
      return { applications: [...applications], count, pages: Math.ceil(count / PAGE) };
    },

    async findApplication({ application }) {
      const found = await store.application(application);
      if (!found) return { application: undefined };
      return { application: { ...applicationView(found), emailOnly: await store.isEmailOnly(found.account) } };
    },

    async listMailSenders({ application: code }) {
      const application = await store.application(code);
      return { senders: application ? mailSendersOf(application).map((sender) => ({ ...sender })) : [] };
    },

    getSettings: ({ application }) => getSettings(store, application),

    async describeApplication({ application: code }) {
      const application = await existing(store, code);
      return {
        view: applicationView(application),
        icon: application.icon,
        sdkIos: application.sdkIos,
        sdkAndroid: application.sdkAndroid,
        settings: shownSettings(application, masterKeys, displayKey),
        languages: await languages.of(code),
      };
    },
  };
}
