import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { pngIcon } from '../fields/base64.ts';
import { sdk } from '../fields/device.ts';
import { boolean, object, optional, textOf } from '../values.ts';

/**
 * Creates an application and gives the creating token access to it (R-B1, R-T2). The icon is a PNG of at most 200 KiB. An account has at most
 * 10,000 applications, unless the operator sets another quota (R-LM6, R-LM7). Spec B.
 */
export const createApplication = json13('createApplication', {
  scope: 'api',
  input: object({
    title: textOf(1, 255),
    icon: optional(pngIcon),
    sdk_ios: optional(sdk.ios),
    sdk_android: optional(sdk.android),
    authorize_all_tokens: optional(boolean),
  }).transform((request) => ({
    title: request.title,
    icon: request.icon,
    sdkIos: request.sdk_ios ?? 'pw',
    sdkAndroid: request.sdk_android ?? 'pw',
    authorizeAllTokens: request.authorize_all_tokens ?? false,
  })),
  output: z.object({ application: z.string() }),
  examples: [
    {
      request: { auth: 'token', title: 'News', sdk_ios: 'pw', authorize_all_tokens: '0' },
      reply: { application: 'A1B2C-3D4E5' },
    },
  ],
});
