import { Platform } from '@tidings/kernel';

/** The settings that hold the public key that browsers subscribe with (RFC 8292); the first one that is set serves the application. */
export const subscriptionKeys = [
  { platform: Platform.Chrome, setting: 'chrome_vapid_key' },
  { platform: Platform.Firefox, setting: 'firefox_vapid_key' },
] as const;
