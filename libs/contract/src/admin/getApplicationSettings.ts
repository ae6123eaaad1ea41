import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { namedApplication } from '../fields/application.ts';
import { rateLimit } from '../fields/token.ts';
import { object } from '../values.ts';

const setting = <Shape extends z.core.$ZodShape>(description: string, shape: Shape) =>
  z
    .object({ ...shape, default: z.boolean().describe('Whether this is the value before anybody sets another.') })
    .describe(description);

const token = (what: string) => ({ token_required: z.boolean().describe(`Whether ${what} demand a token.`) });

const platform = z.object({
  platform: z.int().describe('Platform code.'),
  enabled: z.boolean().describe('Whether messages are sent to the platform.'),
  configured_at: z
    .string()
    .nullable()
    .describe(
      'Time of the last configureApplication of the platform, since which all of its settings are in force: RFC ' +
        '3339, in UTC. Null without one, or if that was before the times were stored.',
    ),
  settings: z
    .record(z.string(), z.string())
    .describe(
      'Settings by their names in configureApplication. A list is JSON text; addresses are without user and password.',
    ),
  secrets: z.array(z.string()).describe('Names of the secrets and files that are set. Their values are not returned.'),
});

export const getApplicationSettings = admin('getApplicationSettings', {
  description:
    'Returns everything that can be set for an application, each setting in the form in which it is set, with those ' +
    'of its account. Secrets are not returned.',
  route: 'GET applications/{code}/settings',
  input: object({ code: namedApplication }),
  output: z.object({
    application: z.string().describe('Code of the application.'),
    account: z.string().describe('Account of the application.'),
    title: z.string().describe('Title of the application.'),
    ios_sdk: z.string().describe('Name of the SDK for iOS.'),
    android_sdk: z.string().describe('Name of the SDK for Android.'),
    icon: z.boolean().describe('Whether the application has an icon.'),
    authorize_all_tokens: z.boolean().describe('Whether every API token of the account may use the application.'),
    debug: setting('Debug mode.', {
      debug_until: z.string().nullable().describe('End of debug mode: RFC 3339, in UTC; null if it is off.'),
    }),
    control_group: setting('The control group.', {
      percentage: z.number().describe('Percentage of users that receive no marketing messages, 0 to 100.'),
    }),
    capping: setting('The frequency cap.', {
      days: z.int().nullable().describe('Period of the cap in days; null without a cap.'),
      count: z.int().describe('Maximum number of messages to a device in the period; 0 without a cap.'),
    }),
    at_most_once: setting('What happens to pushes of unknown outcome.', {
      on: z.boolean().describe('Whether a crash may lose a push rather than repeat it.'),
    }),
    tracking: setting('Figures of deliveries.', {
      on: z.boolean().describe('Whether deliveries are counted per device.'),
    }),
    inbox: setting('Access to inboxes.', token('inboxes')),
    test_devices: setting('Access to createTestDevice.', token('creations of test devices')),
    plan: setting('The plan of the account.', {
      email_only: z.boolean().describe('Whether only e-mail contacts can be registered.'),
    }),
    categories: setting('E-mail categories of the account.', {
      categories: z.array(z.string()).describe('Categories that users may choose from; an empty list allows any.'),
    }),
    senders: setting('Sender and reply-to addresses that the account permits.', {
      required: z.boolean().describe('Whether senders must be verified addresses.'),
      verified: z.array(z.string()).describe('The verified addresses.'),
    }),
    rate_limits: z
      .array(rateLimit.extend({ token: z.string().describe('Identifies the token.') }))
      .describe(
        'Limits of the tokens that may use the application, up to 1000; the other tokens have none, the default.',
      ),
    platforms: z.array(platform).describe('Platforms that were configured, enabled or disabled.'),
  }),
  examples: [
    {
      request: { code: 'A1B2C-3D4E5' },
      reply: {
        application: 'A1B2C-3D4E5',
        account: 'default',
        title: 'Shop',
        ios_sdk: 'pw',
        android_sdk: 'pw',
        icon: false,
        authorize_all_tokens: false,
        debug: { debug_until: null, default: true },
        control_group: { percentage: 12.5, default: false },
        capping: { days: 7, count: 3, default: false },
        at_most_once: { on: false, default: true },
        tracking: { on: true, default: true },
        inbox: { token_required: false, default: true },
        test_devices: { token_required: false, default: true },
        plan: { email_only: false, default: true },
        categories: { categories: ['News', 'Offers'], default: false },
        senders: { required: false, verified: [], default: true },
        rate_limits: [{ token: 'tok-1', requests: 100, seconds: 1 }],
        platforms: [
          {
            platform: 8,
            enabled: true,
            configured_at: '2026-01-15T12:00:00Z',
            settings: { wns_psid: 'ms-app://s-1-15-2' },
            secrets: ['wns_secret'],
          },
        ],
      },
    },
  ],
});
