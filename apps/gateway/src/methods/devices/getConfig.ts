import type { api } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import type { Handler } from '../../context.ts';

/** Where the key that browsers subscribe with is configured; Chrome's goes before Firefox's. */
const vapidSettings = [
  { platform: Platform.Chrome, setting: 'chrome_vapid_key' },
  { platform: Platform.Firefox, setting: 'firefox_vapid_key' },
] as const;

export const getConfig: Handler<typeof api.getConfig> = async ({ application }, { accounts }, call) => {
  for (const { platform, setting } of vapidSettings) {
    const view = call.application?.platforms.find((each) => each.platform === platform);
    if (!view?.configured) continue;
    const { settings } = await accounts.getCredential({ application, platform });
    const key = settings[setting];
    if (key !== undefined) return { features: { events: [], vapid_key: key } };
  }
  return { features: { events: [] } };
};
