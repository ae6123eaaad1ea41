import { z } from 'zod';
import { isPlatformWord, platformWordOf, platformWords } from '../statistics/platform-words.ts';
import { array, boolean, identity, identityOf, listOf, oneOf, optional, text } from '../values.ts';
import { campaignCode } from '../campaigns/campaign-code.ts';
import { eventNames as served } from '../events/event-names.ts';
import { applicationCode } from './application.ts';

const MAX_ENTRIES = 1000;
const MAX_ENDPOINT = 2048;
const MAX_CODE = 22;

const unique = <Entry>(entries: readonly Entry[]): Entry[] => [...new Set(entries)];

const eventName = oneOf(served);

const SCHEMES = 'must be an address that begins with grpc://, grpcs://, http://, https:// or kafka://';

const ENDPOINT =
  'Destination of the events: a stream of the subscriber, `grpc://host:port` or `grpcs://` with TLS, posts to ' +
  '`http://` or `https://`, or in the distributed mode `kafka://topic`, a topic of its own. Left out: the ' +
  'subscriber dials in.';

/** Its owner parses it in full. */
export const endpointAddress = identityOf(1, MAX_ENDPOINT)
  .refine((address) => /^((grpc|http)s?|kafka):\/\/\S/i.test(address), SCHEMES)
  .describe(ENDPOINT);

/** Without one, the subscription waits for its subscriber to connect (R-EV7). */
export const endpoint = optional(endpointAddress);

const EVENTS = `Names of events: ${served.map((name) => `\`${name}\``).join(', ')}. Other names are refused.`;

export const eventNames = listOf(eventName, served.length).transform(unique).describe(EVENTS);

export const subscriptionId = identity.describe('Identifies the subscription.');

const filter = <Entry extends z.ZodType>(entry: Entry) =>
  optional(array(entry).max(MAX_ENTRIES, `at most ${MAX_ENTRIES} entries`).transform(unique));

const FORMAT =
  'Format of the events: `protobuf`, in posts its JSON form, or `json`, CloudEvents with JSON data, for endpoints that ' +
  'begin with `http://`, `https://` or `kafka://`.';

export const formats = ['protobuf', 'json'] as const;

export const format = optional(oneOf(formats)).describe(`${FORMAT} By default \`protobuf\`.`);

/** Absent and empty lists exclude nothing. */
export const filters = {
  applications: filter(applicationCode).describe('Codes of applications; empty or left out: all of the account.'),
  platforms: filter(
    text
      .refine(isPlatformWord, 'unknown value')
      .meta({ enum: Object.keys(platformWords) })
      .transform((word) => platformWords[word]),
  ).describe('Limits events to these platforms, by name such as `IOS`; empty or left out: all.'),
  campaigns: filter(campaignCode).describe(
    'Limits events to messages of these campaigns, by code; empty or left out: all.',
  ),
  message_codes: filter(identityOf(1, MAX_CODE).transform((code) => code.toUpperCase())).describe(
    'Limits events to these messages; empty or left out: all.',
  ),
  enabled: optional(boolean).describe('Whether the subscriber receives events.'),
} as const;

export const newSecret = z.string().optional();

export const shownSubscription = z.object({
  id: z.string().describe('Identifies the subscription.'),
  account: z.string().describe('Identifies the account; the default one if left out.'),
  endpoint: z.string().describe(ENDPOINT),
  format: z.enum(formats).describe(FORMAT),
  events: z.array(z.string()).describe(EVENTS),
  applications: z.array(z.string()).describe('Codes of applications; empty or left out: all of the account.'),
  platforms: z.array(z.string()).describe('Limits events to these platforms; empty: all.'),
  campaigns: z.array(z.string()).describe('Limits events to messages of these campaigns; empty: all.'),
  message_codes: z.array(z.string()).describe('Limits events to these messages; empty or left out: all.'),
  enabled: z.boolean().describe('Whether the subscriber receives events.'),
  created_at: z.string().nullable().describe('Time of creation: RFC 3339, in UTC.'),
  disabled_reason: z
    .string()
    .nullable()
    .describe(
      'The last failure of a subscriber that did nothing but fail for 72 hours; null unless that disabled the ' +
        'subscription.',
    ),
  disabled_at: z
    .string()
    .nullable()
    .describe('Time of that: RFC 3339, in UTC; null otherwise. Enabling the subscription clears both.'),
  deferred_events: z
    .number()
    .describe(
      'Number of events that failed three times, and of later events of the same device and message, which wait ' +
        'behind them.',
    ),
  oldest_deferred_at: z
    .string()
    .nullable()
    .describe('Time at which the oldest of them happened: RFC 3339, in UTC; null if there is none.'),
  dropped_events: z.number().describe('Number of such events that were dropped, as there were more than 100,000.'),
});

export const exampleSubscription = {
  id: 'sub-1',
  account: 'default',
  endpoint: 'grpcs://events.example.com:443',
  format: 'protobuf' as const,
  events: ['Push Sent', 'Push Opened'],
  applications: ['A1B2C-3D4E5'],
  platforms: [platformWordOf(1)!],
  campaigns: [],
  message_codes: [],
  enabled: true,
  created_at: '2026-01-15T12:00:00Z',
  disabled_reason: null,
  disabled_at: null,
  deferred_events: 0,
  oldest_deferred_at: null,
  dropped_events: 0,
};

export const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
