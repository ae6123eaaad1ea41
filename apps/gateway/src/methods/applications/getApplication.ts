import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { DENIED } from '../../auth/authorize.ts';
import type { Handler } from '../../context.ts';
import { shownProviders } from './providers.ts';

export const getApplication: Handler<typeof api.getApplication, 'applications' | 'publicUrl'> = async (
  { application },
  { applications, publicUrl },
) => {
  const { view, icon, sdkIos, sdkAndroid, settings, languages } = await applications.describeApplication({
    application,
  });
  if (!view) throw Fault.argument(DENIED);
  const setting = (name: string): string => settings[name] ?? '';
  return {
    application: {
      adm_cid: setting('adm_cid'),
      adm_secret: setting('adm_secret'),
      android_api_type: setting('android_api_type'),
      android_gcm_api_key: setting('android_gcm_api_key'),
      android_sdk: sdkAndroid,
      icon_url: icon === '' ? null : `${publicUrl}/icons/${icon}.png`,
      ios_apple_appid: setting('ios_apple_appid'),
      ios_apple_team: setting('ios_apple_team'),
      ios_apple_user: setting('ios_apple_user'),
      ios_gateway: setting('ios_gateway'),
      ios_key_management_type: setting('ios_key_management_type'),
      ios_key_password: setting('ios_key_password'),
      ios_sdk: sdkIos,
      title: view.title,
      wp7_state: '',
      wp7_type: '',
      providers: shownProviders(view),
      languages: Object.fromEntries(Object.entries(languages).map(([language, count]) => [language, String(count)])),
    },
  };
};
