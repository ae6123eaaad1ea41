import { Platform } from '@tidings/kernel';
import type { ApplicationView } from '@tidings/rpc';

/** Whether an application sends to a platform: configured and not disabled (R-RES21). */
const serves =
  ({ platforms }: ApplicationView) =>
  (...codes: readonly number[]): boolean =>
    platforms.some(({ platform, enabled, configured }) => codes.includes(platform) && enabled && configured);

/** The flags of configureApplication's reply. */
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

/** The flags of getApplication's reply. */
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
