import { Platform } from '@tidings/kernel';
import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { choice } from '../presence.ts';
import { integer, object } from '../values.ts';
import { androidFields, androidSettings } from './android-settings.ts';
import { iosFields, iosSettings } from './ios-settings.ts';

/** Platforms of Spec A and R-A6 whose settings nothing uses yet: refused, so that nobody takes them for configured. */
const notYetServed: ReadonlySet<number> = new Set([
  Platform.MacOS,
  Platform.Windows,
  Platform.Amazon,
  Platform.Safari,
  Platform.Chrome,
  Platform.Firefox,
  Platform.Email,
  Platform.Huawei,
  Platform.Sms,
  Platform.WhatsApp,
  Platform.Kakao,
  Platform.Line,
]);

const refusal = integer
  .refine((code) => !notYetServed.has(code), { error: 'platform is not yet served', abort: true })
  .refine(() => false, 'platform cannot be configured');

const common = { application: applicationCode, device_type: integer };

const ios = object({ ...common, ...iosFields.shape }).transform(
  ({ application, device_type: platform, ...fields }) => ({
    application,
    platform,
    ...iosSettings(fields),
  }),
);

const android = object({ ...common, ...androidFields.shape }).transform(
  ({ application, device_type: platform, ...fields }) => ({ application, platform, ...androidSettings(fields) }),
);

const refused = object({ ...common, device_type: refusal }).transform(() => z.NEVER);

function fieldsFor(request: Readonly<Record<string, unknown>>) {
  switch (integer.safeParse(request['device_type']).data) {
    case Platform.iOS:
      return ios;
    case Platform.Android:
      return android;
    default:
      return refused;
  }
}

const flag = z.boolean();

const unconfigured = {
  ios: false,
  amazon: false,
  android: false,
  baidu_android: false,
  chrome: false,
  email: false,
  firefox: false,
  huawei_android: false,
  internet_explorer: false,
  osx: false,
  safari: false,
  sms: false,
  web: false,
  whats_app: false,
  windows: false,
};

/** Replaces all settings of a platform and enables it; key files are not opened (R-A1, R-A2). Spec A. */
export const configureApplication = json13('configureApplication', {
  scope: 'api',
  input: choice(fieldsFor),
  output: z.object({
    providers: z.object({
      ios: flag,
      amazon: flag,
      android: flag,
      baidu_android: flag,
      chrome: flag,
      email: flag,
      firefox: flag,
      huawei_android: flag,
      internet_explorer: flag,
      osx: flag,
      safari: flag,
      sms: flag,
      web: flag,
      whats_app: flag,
      windows: flag,
    }),
  }),
  examples: [
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        device_type: 1,
        ios_key_management_type: 'manual',
        ios_key_file: 'LS0tLS1CRUdJTg==',
        ios_key_password: '',
        ios_gateway: 1,
        ios_framework: 'native',
        ios_bundle_id: 'com.example.news',
        ios_key_id: 'ABC123DEFG',
        ios_team_id: 'DEF123GHIJ',
      },
      reply: { providers: { ...unconfigured, ios: true } },
    },
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        device_type: '3',
        android_framework: 'native',
        android_fcm_service_account: {
          type: 'service_account',
          project_id: 'news',
          private_key: '-----BEGIN PRIVATE KEY-----',
          client_email: 'push@news.example.com',
          token_uri: 'https://oauth2.googleapis.com/token',
        },
      },
      reply: { providers: { ...unconfigured, android: true } },
    },
  ],
});
