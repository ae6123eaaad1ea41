import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { pngIcon } from '../fields/base64.ts';
import { sdk } from '../fields/device.ts';
import { nothing, object, optional, textOf } from '../values.ts';

/** Changes the given fields and keeps the others (R-B2). The icon is a PNG of at most 200 KiB (R-LM6). Spec B. */
export const updateApplication = json13('updateApplication', {
  scope: 'api',
  input: object({
    application: applicationCode,
    icon: optional(pngIcon),
    sdk_ios: optional(sdk.ios),
    sdk_android: optional(sdk.android),
    title: optional(textOf(1, 255)),
  }).transform(({ sdk_ios: sdkIos, sdk_android: sdkAndroid, ...given }) => ({ ...given, sdkIos, sdkAndroid })),
  output: nothing,
  examples: [
    { request: { auth: 'token', application: 'A1B2C-3D4E5', title: 'News', sdk_android: 'corona' }, reply: undefined },
  ],
});
