import { Platform } from '@tidings/kernel';

export const subscriptionKeys = [
  { platform: Platform.Chrome, setting: 'chrome_vapid_key' },
  { platform: Platform.Firefox, setting: 'firefox_vapid_key' },
] as const;
