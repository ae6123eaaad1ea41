import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { pngIcon } from '../fields/base64.ts';
import { sdk } from '../fields/device.ts';
import { boolean, object, optional, textOf } from '../values.ts';

export const createApplication = json13('createApplication', {
  description:
    'Creates an application and gives the creating token access to it. The icon is a PNG of at most 200 KiB. An ' +
    'account has at most 10,000 applications, unless the operator sets another quota.',
  scope: 'api',
  input: object({
    title: textOf(1, 255).describe('Title of the application.'),
    icon: optional(pngIcon).describe('Icon of the application: a PNG of at most 200 KiB in base64.'),
    sdk_ios: optional(sdk.ios).describe('SDK in the iOS app, which determines the payload format; `pw` if left out.'),
    sdk_android: optional(sdk.android).describe(
      'SDK in the Android app, which determines the payload format; `pw` if left out.',
    ),
    authorize_all_tokens: optional(boolean).describe(
      'Whether every API token of the account may use the application; false if left out.',
    ),
  }).transform((request) => ({
    title: request.title,
    icon: request.icon,
    sdkIos: request.sdk_ios ?? 'pw',
    sdkAndroid: request.sdk_android ?? 'pw',
    authorizeAllTokens: request.authorize_all_tokens ?? false,
  })),
  output: z.object({ application: z.string().describe('Code of the new application.') }),
  examples: [
    {
      request: { auth: 'token', title: 'News', sdk_ios: 'pw', authorize_all_tokens: '0' },
      reply: { application: 'A1B2C-3D4E5' },
    },
  ],
});
