import { Platform } from '@tidings/kernel';
import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { integer, object, oneOf } from '../values.ts';

/** Names in replies of the platforms that can be enabled and disabled (R-B5). */
export const switchedPlatforms: ReadonlyMap<number, string> = new Map([
  [Platform.iOS, 'iOS'],
  [Platform.Android, 'Android'],
  [Platform.MacOS, 'OS X'],
  [Platform.Windows, 'Windows'],
  [Platform.Amazon, 'Amazon'],
  [Platform.Safari, 'Safari'],
  [Platform.Chrome, 'Chrome'],
  [Platform.Firefox, 'Firefox'],
]);

const flag = z.boolean();

/** Enables or disables a platform of an application, configured or not; idempotent (R-S5, R-B5). Spec B. */
export const setApplicationPlatformStatus = json13('setApplicationPlatformStatus', {
  scope: 'api',
  input: object({
    application: applicationCode,
    platform: integer.refine((code) => switchedPlatforms.has(code), 'unknown value'),
    status: oneOf(['enable', 'disable']),
  }).transform(({ status, ...given }) => ({ ...given, enabled: status === 'enable' })),
  output: z.object({
    message: z.string(),
    available_platforms: z.object({
      iOS: flag,
      BlackBerry: flag,
      Android: flag,
      'Windows Phone': flag,
      'OS X': flag,
      Windows: flag,
      Amazon: flag,
      Safari: flag,
      Chrome: flag,
      Firefox: flag,
      'Internet Explorer 11': flag,
    }),
  }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5', platform: 3, status: 'disable' },
      reply: {
        message: 'Android disabled',
        available_platforms: {
          iOS: true,
          BlackBerry: false,
          Android: false,
          'Windows Phone': false,
          'OS X': false,
          Windows: false,
          Amazon: false,
          Safari: false,
          Chrome: false,
          Firefox: false,
          'Internet Explorer 11': false,
        },
      },
    },
  ],
});
