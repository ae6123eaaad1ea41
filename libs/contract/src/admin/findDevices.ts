import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { applicationCode } from '../fields/application.ts';
import { optionalUnless } from '../presence.ts';
import { anyObject, identity, object, optional } from '../values.ts';

const names = ['hwid', 'token', 'user', 'email', 'phone'] as const;
const cases = { hwid: 'hwid', token: 'pushToken', user: 'userId', email: 'email', phone: 'phone' } as const;

const registration = z.object({
  application: z.string().describe('Code of the application.'),
  platform: z.int().describe('Platform code.'),
  has_token: z.boolean().describe('Whether the device has a push token there.'),
  created_at: z.string().nullable().describe('Time of the registration: RFC 3339, in UTC.'),
});

const device = z.object({
  number: z.int().describe('Number of the device in its application.'),
  hwid: z.string().describe('The device.'),
  user: z.string().describe('User of the device: the hwid if it has no other.'),
  platform: z.int().describe('Platform code.'),
  token_hash: z.string().nullable().describe('SHA-256 of the push token, in hex; null without one.'),
  token_set_at: z
    .string()
    .nullable()
    .describe('Time of the last registration with the token: RFC 3339, in UTC; null without one.'),
  created_at: z.string().nullable().describe('Time of the first registration: RFC 3339, in UTC.'),
  opened_at: z.string().nullable().describe('Last open of the app: RFC 3339, in UTC; null without one.'),
  language: z.string().nullable().describe('Language of the device; null if it is unknown.'),
  timezone: z.int().nullable().describe('Seconds east of UTC; null if they are unknown.'),
  notifications: z.boolean().nullable().describe('Whether notifications are on; null if that is unknown.'),
  test_device: z.boolean().describe('Whether messages to test devices reach its push token.'),
  tags: anyObject.describe('Values by tag name. A tag without a value is absent. Integers have up to 64 bits.'),
  inbox: z
    .object({
      entries: z.int().describe('Number of entries.'),
      new: z.int().describe('Number of entries that were never shown.'),
    })
    .describe('The inbox of its user. This look-up changes no status.'),
  registrations: z
    .array(registration)
    .describe('Applications of the account in which the hwid is registered, up to 100, oldest first.'),
});

export const findDevices = admin('findDevices', {
  description:
    'Finds the devices of an application by hwid, push token, user, e-mail address or phone number, of which one is ' +
    'given: at most 100, the most recently active first. An empty list if there are none.',
  route: 'GET devices/find',
  input: object({
    application: applicationCode,
    hwid: optionalUnless(identity, (request) =>
      names.every((each) => (request[each] ?? null) === null) ? 'hwid' : undefined,
    ).describe('The device. Required without the other names.'),
    token: optional(identity).describe('Push token.'),
    user: optional(identity).describe('All devices of this user.'),
    email: optional(identity).describe('Contacts with this e-mail address.'),
    phone: optional(identity).describe('Contacts of SMS and WhatsApp with this phone number.'),
  }).transform(({ application, ...given }, context) => {
    const [name = 'hwid', ...others] = names.filter((each) => given[each] !== undefined);
    if (others.length > 0) {
      context.addIssue({ code: 'custom', message: `must not be used with ${name}`, path: [others[0]!] });
      return z.NEVER;
    }
    return { application, by: { $case: cases[name], value: given[name]! } };
  }),
  output: z.object({
    devices: z.array(device).describe('The devices, the most recently active first.'),
    more: z.boolean().describe('Whether there are others.'),
  }),
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', hwid: 'phone-1' },
      reply: {
        devices: [
          {
            number: 7,
            hwid: 'phone-1',
            user: 'user-1',
            platform: 3,
            token_hash: '04f6d8b7b4d4fd5d1cde2b1ed1d0f2cf3c92d0cbd1dbbb9e2b3ae0c1c5f4a7e9',
            token_set_at: '2026-01-15T12:00:00Z',
            created_at: '2026-01-01T12:00:00Z',
            opened_at: null,
            language: 'en',
            timezone: 3600,
            notifications: true,
            test_device: false,
            tags: { Language: 'en', Level: 6 },
            inbox: { entries: 2, new: 1 },
            registrations: [
              { application: 'A1B2C-3D4E5', platform: 3, has_token: true, created_at: '2026-01-01T12:00:00Z' },
            ],
          },
        ],
        more: false,
      },
    },
    ...[{ token: 'fGx1a2b3c4d5' }, { user: 'user-1' }, { email: 'anna@example.com' }, { phone: '+4915112345678' }].map(
      (by) => ({ request: { application: 'A1B2C-3D4E5', ...by }, reply: { devices: [], more: false } }),
    ),
  ],
});
