import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object } from '../values.ts';

const setting = z.string();

/**
 * Returns an application's settings, with encoded secrets (R-RES19 to R-RES21). With more than 10,000 devices, `languages` is the last result of
 * a background count. A call starts a new count if the last one is older than a minute, and does not wait for it. Spec B.
 */
export const getApplication = json13('getApplication', {
  scope: 'api',
  input: object({ application: applicationCode }),
  output: z.object({
    application: z.object({
      adm_cid: setting,
      adm_secret: setting,
      android_api_type: setting,
      android_gcm_api_key: setting,
      android_sdk: setting,
      icon_url: z.string().nullable(),
      ios_apple_appid: setting,
      ios_apple_team: setting,
      ios_apple_user: setting,
      ios_gateway: setting,
      ios_key_management_type: setting,
      ios_key_password: setting,
      ios_sdk: setting,
      title: z.string(),
      wp7_state: setting,
      wp7_type: setting,
      providers: z.record(z.string(), z.boolean()),
      languages: z.record(z.string(), z.string()),
    }),
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
