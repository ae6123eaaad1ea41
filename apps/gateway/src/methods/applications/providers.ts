import { Platform } from '@tidings/kernel';
import type { ApplicationView } from '@tidings/rpc';

/** Configured and not disabled (R-RES21). */
const serves =
  ({ platforms }: ApplicationView) =>
  (...codes: readonly number[]): boolean =>
    platforms.some(({ platform, enabled, configured }) => codes.includes(platform) && enabled && configured);

export function configuredProviders(application: ApplicationView) {
  const on = serves(application);
  return {
    ios: on(Platform.iOS),
    amazon: on(Platform.Amazon),
    android: on(Platform.Android),
    baidu_android: false,
    chrome: on(Platform.Chrome),
    email: on(Platform.Email),
    firefox: on(Platform.Firefox),
    huawei_android: on(Platform.Huawei),
    internet_explorer: false,
    osx: on(Platform.MacOS),
    safari: on(Platform.Safari),
    sms: on(Platform.Sms),
    web: on(Platform.Chrome, Platform.Firefox, Platform.Safari),
    whats_app: on(Platform.WhatsApp),
    windows: on(Platform.Windows),
  };
}

export function shownProviders(application: ApplicationView) {
  const on = serves(application);
  return {
    ios: on(Platform.iOS),
    android: on(Platform.Android),
    wp7: false,
    macos: on(Platform.MacOS),
    blackberry: false,
    wns: on(Platform.Windows),
    adm: on(Platform.Amazon),
    safari: on(Platform.Safari),
  };
}

export function availablePlatforms({ platforms }: ApplicationView) {
  const on = (code: number): boolean => platforms.some(({ platform, enabled }) => platform === code && enabled);
  return {
    iOS: on(Platform.iOS),
    BlackBerry: false,
    Android: on(Platform.Android),
    'Windows Phone': false,
    'OS X': on(Platform.MacOS),
    Windows: on(Platform.Windows),
    Amazon: on(Platform.Amazon),
    Safari: on(Platform.Safari),
    Chrome: on(Platform.Chrome),
    Firefox: on(Platform.Firefox),
    'Internet Explorer 11': false,
  };
}
