import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object } from '../values.ts';

const setting = z.string();
const legacy = setting.describe('Legacy; empty.');

export const getApplication = json13('getApplication', {
  description:
    "Returns an application's settings, with encoded secrets. With more than 10,000 devices, `languages` is the last " +
    'result of a background count. A call starts a new count if the last one is older than a minute, and does not ' +
    'wait for it.',
  scope: 'api',
  input: object({ application: applicationCode.describe('Code of the application; in the reply, its settings.') }),
  output: z.object({
    application: z
      .object({
        adm_cid: setting.describe('Client ID of Amazon, encoded, starting with `x`; empty if not set.'),
        adm_secret: setting.describe('Client secret of Amazon, encoded, starting with `x`; empty if not set.'),
        android_api_type: setting.describe(
          'Service that reaches Android devices: `fcm`; empty if Android is not configured.',
        ),
        android_gcm_api_key: setting.describe('Credential of Android, encoded, starting with `x`; empty if not set.'),
        android_sdk: setting.describe('SDK in the Android app.'),
        icon_url: z.string().nullable().describe('URL of the icon; null if there is none.'),
        ios_apple_appid: legacy,
        ios_apple_team: legacy,
        ios_apple_user: legacy,
        ios_gateway: setting.describe(
          'APNs environment: 0 sandbox, 1 production, as text; empty if iOS is not configured.',
        ),
        ios_key_management_type: setting.describe('Key management: `manual`; empty if iOS is not configured.'),
        ios_key_password: setting.describe('Password of the key file, encoded, starting with `x`; empty if not set.'),
        ios_sdk: setting.describe('SDK in the iOS app.'),
        title: z.string().describe('Title of the application.'),
        wp7_state: legacy,
        wp7_type: legacy,
        providers: z.record(z.string(), z.boolean()).describe('Platforms, and whether each is configured and enabled.'),
        languages: z.record(z.string(), z.string()).describe('Number of devices, as text, by language.'),
      })
      .describe('Code of the application; in the reply, its settings.'),
  }),
  examples: [
    {
      request: { auth: 'token', application: 'a1b2c-3d4e5' },
      reply: {
        application: {
          adm_cid: '',
          adm_secret: '',
          android_api_type: 'fcm',
          android_gcm_api_key: 'x0123456789abcdef0123456789abcdef',
          android_sdk: 'pw',
          icon_url: null,
          ios_apple_appid: '',
          ios_apple_team: '',
          ios_apple_user: '',
          ios_gateway: '',
          ios_key_management_type: '',
          ios_key_password: '',
          ios_sdk: 'pw',
          title: 'News',
          wp7_state: '',
          wp7_type: '',
          providers: {
            ios: false,
            android: true,
            wp7: false,
            macos: false,
            blackberry: false,
            wns: false,
            adm: false,
            safari: false,
          },
          languages: { en: '12' },
        },
      },
    },
  ],
});
