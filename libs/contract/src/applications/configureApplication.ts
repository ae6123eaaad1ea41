import { Platform } from '@tidings/kernel';
import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { choice } from '../presence.ts';
import { integer } from '../values.ts';
import { smsFields } from './sms-settings.ts';
import { iosFields, macFields, safariFields } from './apple-settings.ts';
import { androidFields, chromeFields, firefoxFields } from './google-settings.ts';
import {
  amazonFields,
  emailFields,
  huaweiFields,
  kakaoFields,
  lineFields,
  whatsAppFields,
  windowsFields,
} from './other-settings.ts';
import { type PlatformSettings, platformFields } from './platform-settings.ts';

const fields: ReadonlyMap<number, z.ZodType<PlatformSettings>> = new Map([
  [Platform.iOS, iosFields],
  [Platform.Android, androidFields],
  [Platform.MacOS, macFields],
  [Platform.Windows, windowsFields],
  [Platform.Amazon, amazonFields],
  [Platform.Safari, safariFields],
  [Platform.Chrome, chromeFields],
  [Platform.Firefox, firefoxFields],
  [Platform.Email, emailFields],
  [Platform.Huawei, huaweiFields],
  [Platform.Sms, smsFields],
  [Platform.WhatsApp, whatsAppFields],
  [Platform.Kakao, kakaoFields],
  [Platform.Line, lineFields],
]);

const refused = platformFields(
  { device_type: integer.refine(() => false, 'platform cannot be configured') },
  { secrets: [] },
);

const fieldsFor = (request: Readonly<Record<string, unknown>>): z.ZodType<PlatformSettings> =>
  fields.get(integer.safeParse(request['device_type']).data ?? 0) ?? refused;

const flag = z.boolean();
const never = flag.describe('Always false: the platform is not supported.');

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

const account = {
  type: 'service_account',
  project_id: 'news',
  private_key: '-----BEGIN PRIVATE KEY-----',
  client_email: 'push@news.example.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};

const isWeb: ReadonlySet<number> = new Set([Platform.Chrome, Platform.Firefox, Platform.Safari]);

export const configureApplication = json13('configureApplication', {
  description:
    'Replaces all settings of a platform and enables it, unless `firefox_is_enabled` is false. Key files are not ' +
    'validated.',
  scope: 'api',
  input: choice(fieldsFor, { by: 'device_type', schemas: fields }),
  output: z.object({
    providers: z
      .object({
        ios: flag.describe('Whether iOS is configured and enabled.'),
        amazon: flag.describe('Whether Amazon is configured and enabled.'),
        android: flag.describe('Whether Android is configured and enabled.'),
        baidu_android: never,
        chrome: flag.describe('Whether Chrome is configured and enabled.'),
        email: flag.describe('Whether e-mail is configured and enabled.'),
        firefox: flag.describe('Whether Firefox is configured and enabled.'),
        huawei_android: flag.describe('Whether Huawei is configured and enabled.'),
        internet_explorer: never,
        osx: flag.describe('Whether macOS is configured and enabled.'),
        safari: flag.describe('Whether Safari is configured and enabled.'),
        sms: flag.describe('Whether SMS is configured and enabled.'),
        web: flag.describe('Whether Chrome, Firefox or Safari is configured and enabled.'),
        whats_app: flag.describe('Whether WhatsApp is configured and enabled.'),
        windows: flag.describe('Whether Windows is configured and enabled.'),
      })
      .describe('Platforms, and whether each is configured and enabled.'),
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
        android_fcm_service_account: account,
      },
      reply: { providers: { ...unconfigured, android: true } },
    },
    ...(
      [
        [
          Platform.MacOS,
          'osx',
          {
            macos_key_management_type: 'manual',
            macos_key_file: 'LS0tLS1CRUdJTg==',
            macos_gateway: 0,
            macos_bundle_id: 'com.example.news',
            macos_key_id: 'ABC123DEFG',
            macos_team_id: 'DEF123GHIJ',
          },
        ],
        [Platform.Windows, 'windows', { wns_psid: 'ms-app://s-1-15-2', wns_secret: 'secret' }],
        [Platform.Amazon, 'amazon', { adm_cid: 'id', adm_secret: 'secret', adm_framework: 'native' }],
        [
          Platform.Safari,
          'safari',
          {
            safari_key_management_type: 'manual',
            safari_website_name: 'News',
            safari_allowed_domains: ['https://news.example.com'],
            safari_url_template: 'https://%@',
            safari_key_file: 'MIIB',
          },
        ],
        [
          Platform.Chrome,
          'chrome',
          { chrome_fcm_service_account: account, chrome_vapid_key: 'BPk_-w', chrome_vapid_private_key: 'Zm9v' },
        ],
        [
          Platform.Firefox,
          'firefox',
          {
            firefox_is_enabled: true,
            firefox_fcm_service_account: account,
            firefox_vapid_key: 'BPk_-w',
            firefox_vapid_private_key: 'Zm9v',
          },
        ],
        [
          Platform.Email,
          'email',
          { email_from_email: 'news@example.com', email_from_name: 'News', email_reply: 'desk@example.com' },
        ],
        [
          Platform.Email,
          'email',
          { email_from_address: 'news@example.com', email_from_name: 'News', email_reply: 'desk@example.com' },
        ],
        [Platform.Huawei, 'huawei_android', { huawei_app_id: '1', huawei_app_secret: 'secret' }],
        [
          Platform.Sms,
          'sms',
          {
            sms_smpp_host: 'smpp.example.com',
            sms_smpp_port: 2775,
            sms_system_id: 'news',
            sms_password: 'secret',
            sms_sender: 'News',
          },
        ],
        [
          Platform.Sms,
          'sms',
          {
            sms_http_url: 'https://api.twilio.com',
            sms_http_account: 'AC17',
            sms_http_token: 'secret',
            sms_sender: '+15017122661',
          },
        ],
        [
          Platform.WhatsApp,
          'whats_app',
          {
            whats_app_phone_number_id: '106540352242922',
            whats_app_access_token: 'EAAJB',
            whats_app_app_secret: 'secret',
            whats_app_verify_token: 'verify',
          },
        ],
      ] as const
    ).map(([device_type, flag, settings]) => ({
      request: { auth: 'token', application: 'A1B2C-3D4E5', device_type, ...settings },
      reply: { providers: { ...unconfigured, [flag]: true, web: isWeb.has(device_type) } },
    })),
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        device_type: Platform.Kakao,
        kakao_sender_key: 'key',
        kakao_app_key: 'key',
        kakao_secret_key: 'secret',
      },
      reply: { providers: unconfigured },
    },
    {
      request: {
        auth: 'token',
        application: 'A1B2C-3D4E5',
        device_type: Platform.Line,
        line_channel_access_token: 'secret',
      },
      reply: { providers: unconfigured },
    },
  ],
});
