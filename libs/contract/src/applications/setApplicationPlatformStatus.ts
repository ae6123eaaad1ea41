import { Platform } from '@tidings/kernel';
import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { integer, object, oneOf } from '../values.ts';

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
const never = flag.describe('Always false: the platform is not supported.');

export const setApplicationPlatformStatus = json13('setApplicationPlatformStatus', {
  description: 'Enables or disables a platform of an application, configured or not; idempotent.',
  scope: 'api',
  input: object({
    application: applicationCode,
    platform: integer
      .refine((code) => switchedPlatforms.has(code), 'unknown value')
      .describe(
        'Platform to enable or disable: 1 iOS, 3 Android, 7 macOS, 8 Windows, 9 Amazon, 10 Safari, 11 Chrome, 12 ' +
          'Firefox.',
      ),
    status: oneOf(['enable', 'disable']).describe('Whether to enable or disable the platform.'),
  }).transform(({ status, ...given }) => ({ ...given, enabled: status === 'enable' })),
  output: z.object({
    message: z.string().describe('Description of the change.'),
    available_platforms: z
      .object({
        iOS: flag.describe('Whether iOS is enabled.'),
        BlackBerry: never,
        Android: flag.describe('Whether Android is enabled.'),
        'Windows Phone': never,
        'OS X': flag.describe('Whether macOS is enabled.'),
        Windows: flag.describe('Whether Windows is enabled.'),
        Amazon: flag.describe('Whether Amazon is enabled.'),
        Safari: flag.describe('Whether Safari is enabled.'),
        Chrome: flag.describe('Whether Chrome is enabled.'),
        Firefox: flag.describe('Whether Firefox is enabled.'),
        'Internet Explorer 11': never,
      })
      .describe('Platforms, and whether each is enabled.'),
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
