import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { pngIcon } from '../fields/base64.ts';
import { sdk } from '../fields/device.ts';
import { nothing, object, optional, textOf } from '../values.ts';

export const updateApplication = json13('updateApplication', {
  description: 'Changes the given fields and keeps the others. The icon is a PNG of at most 200 KiB.',
  scope: 'api',
  input: object({
    application: applicationCode,
    icon: optional(pngIcon).describe('Icon of the application: a PNG of at most 200 KiB in base64.'),
    sdk_ios: optional(sdk.ios).describe('SDK in the iOS app, which determines the payload format.'),
    sdk_android: optional(sdk.android).describe('SDK in the Android app, which determines the payload format.'),
    title: optional(textOf(1, 255)).describe('Title of the application.'),
  }).transform(({ sdk_ios: sdkIos, sdk_android: sdkAndroid, ...given }) => ({ ...given, sdkIos, sdkAndroid })),
  output: nothing,
  examples: [
    { request: { auth: 'token', application: 'A1B2C-3D4E5', title: 'News', sdk_android: 'corona' }, reply: undefined },
  ],
});
