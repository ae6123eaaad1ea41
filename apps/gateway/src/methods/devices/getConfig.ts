import type { api } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import type { Handler } from '../../context.ts';

/** Settings that hold the key that browsers subscribe with; Chrome's precedes Firefox's. */
const vapidSettings = [
  { platform: Platform.Chrome, setting: 'chrome_vapid_key' },
  { platform: Platform.Firefox, setting: 'firefox_vapid_key' },
] as const;

/** The cached application may be older than its configuration, so the settings are read directly. */
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
