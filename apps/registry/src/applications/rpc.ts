import type { KeyObject } from 'node:crypto';
import { DENIED } from '@tidings/audience';
import { type Clock, Fault, newCode } from '@tidings/kernel';
import type { Accounts, ConfigurePlatformRequest } from '@tidings/rpc';
import { seal } from '@tidings/runtime';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/store.ts';
import type { AccountWriter } from '../accounts/writer.ts';
import { openIcons } from './icons.ts';
import { countLanguages } from './languages.ts';
import { applicationView, shownSettings } from './view.ts';

type ApplicationMethods = Pick<
  Accounts,
  | 'createApplication'
  | 'configurePlatform'
  | 'setDebug'
  | 'findApplication'
  | 'describeApplication'
  | 'getIcon'
  | 'getCredential'
>;

export interface ApplicationsDeps {
  readonly clock: Clock;
  readonly db: Db;
  readonly masterKey: Uint8Array;
  /** Makes the encoded forms of R-RES19. */
  readonly displayKey: KeyObject;
}

/** Codes are random; this many in a row are never taken by chance. */
const CODE_TRIES = 5;

/** Clear settings, and secret ones sealed: from here on nothing has them in clear. */
function partSettings({ application, settings, secretSettings }: ConfigurePlatformRequest, masterKey: Uint8Array) {
  const secret = new Set(secretSettings);
  const entries = Object.entries(settings);
  return {
    settings: Object.fromEntries(entries.filter(([name]) => !secret.has(name))),
    sealed: Object.fromEntries(
      entries
        .filter(([name]) => secret.has(name))
        .map(([field, value]) => [field, seal(masterKey, { application, field }, value)]),
    ),
  };
}

/** Applications, their platforms and credentials. Another account's application answers like none. */
export function applicationsRpc(
  store: AccountStore,
  write: AccountWriter,
  { clock, db, masterKey, displayKey }: ApplicationsDeps,
): ApplicationMethods {
  const now = (): Date => new Date(clock.now());
  const icons = openIcons(db);
  const existing = async (code: string) => {
    const application = await store.application(code);
    if (!application) throw Fault.argument(DENIED);
    return application;
  };
  return {
    getIcon: async ({ icon }) => ({ png: await icons.read(icon) }),

    async createApplication({ account, title, icon, sdkIos, sdkAndroid, authorizeAllTokens, tokenId: token }) {
      const details = { title, icon: await icons.store(icon), sdkIos: sdkIos || 'pw', sdkAndroid: sdkAndroid || 'pw' };
      for (let tries = 1; ; tries++) {
        const code = newCode();
        try {
          await write({
            account,
            action: { type: 'createApplication', code, ...details, authorizeAllTokens, token },
            at: now(),
          });
          return { application: code };
        } catch (error) {
          if (!(error instanceof Fault) || error.kind !== 'conflict' || tries === CODE_TRIES) throw error;
        }
      }
    },

    async configurePlatform(request) {
      const { account, application, platform } = request;
      const action = { type: 'configurePlatform', application, platform, ...partSettings(request, masterKey) } as const;
      await write({ account, action, at: now() });
      return applicationView(await existing(application));
    },

    async setDebug({ application, on }) {
      const { account } = await existing(application);
      await write({ account, action: { type: 'setDebug', application, on }, at: now() });
      return { debugUntil: (await existing(application)).debugUntil };
    },

    async findApplication({ application }) {
      const found = await store.application(application);
      return { application: found && applicationView(found) };
    },

    async describeApplication({ application: code }) {
      const application = await existing(code);
      return {
        view: applicationView(application),
        icon: application.icon,
        sdkIos: application.sdkIos,
        sdkAndroid: application.sdkAndroid,
        settings: shownSettings(application, masterKey, displayKey),
        languages: await countLanguages(db, code),
      };
    },

    async getCredential({ application: code, platform }) {
      const application = await store.application(code);
      const found = application?.platforms.find((each) => each.platform === platform);
      return {
        application: code,
        platform,
        version: found?.credentialVersion ?? 0,
        settings: { ...found?.settings },
        sealed: Object.fromEntries(
          Object.entries(found?.sealed ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes)]),
        ),
      };
    },
  };
}
