import { type Credentials, generateCredentials } from '../demo-credentials.ts';
import type { Simulators } from '../demo-providers.ts';

export const providerVariables = (urls: Simulators): Readonly<Record<string, string>> => ({
  APNS_URL: urls.apnsUrl,
  FCM_URL: urls.fcmUrl,
  HMS_URL: urls.hmsUrl,
  HMS_TOKEN_URL: `${urls.hmsUrl}/oauth2/v3/token`,
  ADM_URL: urls.admUrl,
  ADM_TOKEN_URL: `${urls.admUrl}/auth/O2/token`,
  WNS_TOKEN_URL: `${urls.wnsUrl}/accesstoken.srf`,
  SMTP_URL: urls.smtpUrl,
  WHATSAPP_URL: urls.whatsAppUrl,
  KAKAO_URL: urls.kakaoUrl,
  LINE_URL: urls.lineUrl,
  WEB_PUSH_SUBJECT: 'mailto:demo@example.com',
});

const macSettings = ({ ios }: Credentials): Readonly<Record<string, unknown>> => ({
  device_type: 7,
  macos_key_management_type: 'manual',
  macos_key_file: ios['ios_key_file'],
  macos_gateway: 1,
  macos_bundle_id: ios['ios_bundle_id'],
  macos_key_id: ios['ios_key_id'],
  macos_team_id: ios['ios_team_id'],
});

export function allSettings(urls: Simulators): {
  readonly settings: readonly Readonly<Record<string, unknown>>[];
  readonly publicKeys: unknown;
} {
  const credentials = generateCredentials(urls.tokenUrl);
  const { ios, android, chrome, firefox, publicKeys } = credentials;
  const { hostname: sms_smpp_host, port: sms_smpp_port } = new URL(urls.smppUrl);
  const settings = [
    ...[ios, macSettings(credentials), android, chrome, firefox],
    { device_type: 8, wns_psid: 'ms-app://s-1-15-2-demo', wns_secret: 'secret' },
    { device_type: 9, adm_cid: 'demo', adm_secret: 'secret', adm_framework: 'native' },
    {
      device_type: 14,
      email_from_email: 'demo@example.com',
      email_from_name: 'Demo',
      email_reply: 'help@example.com',
    },
    { device_type: 17, huawei_app_id: 'demo', huawei_app_secret: 'secret' },
    {
      device_type: 18,
      sms_smpp_host,
      sms_smpp_port,
      sms_system_id: 'demo',
      sms_password: 'secret',
      sms_sender: 'Demo',
    },
    { device_type: 21, whats_app_phone_number_id: '106540352242922', whats_app_access_token: 'EAADEMO' },
    { device_type: 22, kakao_sender_key: 'sender', kakao_app_key: 'app', kakao_secret_key: 'secret' },
    { device_type: 23, line_channel_access_token: 'demo' },
  ];
  return { settings, publicKeys };
}
