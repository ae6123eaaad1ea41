import type { PlatformSettings } from '@tidings/audience';
import type { ApplicationSettings, PlatformSettings as PlatformSettingsView } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';
import { applicationView } from './application-view.ts';

type Store = Pick<AccountStore, 'application' | 'categories' | 'isEmailOnly' | 'limitedTokens' | 'senders'>;

const UNKNOWN: ApplicationSettings = {
  view: undefined,
  hasIcon: false,
  sdkIos: '',
  sdkAndroid: '',
  platforms: [],
  categories: [],
  sendersRequired: false,
  verifiedSenders: [],
  tokenLimits: [],
};

const isFile = (name: string): boolean => name.endsWith('_file');

const withoutUser = (value: string): string => value.replace(/(?<=^https?:\/\/)[^/?#]*@/i, '');

function shownPlatform({ platform, enabled, settings, sealed, configuredAt }: PlatformSettings): PlatformSettingsView {
  const clear = Object.entries(settings).filter(([name]) => !isFile(name));
  return {
    platform,
    enabled,
    settings: Object.fromEntries(clear.map(([name, value]) => [name, withoutUser(value)])),
    secrets: [...Object.keys(sealed), ...Object.keys(settings).filter(isFile)].sort(),
    configuredAt,
  };
}

export async function getSettings(store: Store, code: string): Promise<ApplicationSettings> {
  const application = await store.application(code);
  if (!application) return UNKNOWN;
  const { account } = application;
  const [categories, emailOnly, senders, limited] = await Promise.all([
    store.categories(account),
    store.isEmailOnly(account),
    store.senders(account),
    store.limitedTokens(application),
  ]);
  return {
    view: { ...applicationView(application), emailOnly },
    hasIcon: application.icon !== '',
    sdkIos: application.sdkIos,
    sdkAndroid: application.sdkAndroid,
    platforms: application.platforms.map(shownPlatform),
    categories,
    sendersRequired: senders.required,
    verifiedSenders: [...senders.verified],
    tokenLimits: limited.flatMap(({ id, rateLimit }) => (rateLimit ? [{ token: id, ...rateLimit }] : [])),
  };
}
