import type { api } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import type { Handler } from '../../context.ts';

/** Where the key that browsers subscribe with is configured; Chrome's goes before Firefox's. */
const vapidSettings = [
  { platform: Platform.Chrome, setting: 'chrome_vapid_key' },
  { platform: Platform.Firefox, setting: 'firefox_vapid_key' },
] as const;

/** What is known of the application may be older than its configuration, so the settings themselves are asked for. */
export const getConfig: Handler<typeof api.getConfig> = async ({ application }, { accounts }) => {
  const keys = await Promise.all(
    vapidSettings.map(async ({ platform, setting }) => {
      const { settings } = await accounts.getCredential({ application, platform });
      return settings[setting];
    }),
  );
  const key = keys.find((each) => each !== undefined);
  return { features: { events: [], ...(key !== undefined && { vapid_key: key }) } };
};
