import { z } from 'zod';
import { isPlatformWord, platformWordOf, platformWords } from '../statistics/platform-words.ts';
import { array, boolean, identityOf, listOf, oneOf, optional, text } from '../values.ts';
import { campaignCode } from '../campaigns/campaign-code.ts';
import { applicationCode } from './application.ts';

const served = [
  ...['Push Sent', 'Push Delivered', 'Push Opened', 'Push Failed'],
  ...['Email Sent', 'Email Delivered', 'Email Bounced', 'Email Opened', 'Email Clicked'],
  ...['Email Unsubscribed', 'Email Complained', 'Email Failed'],
  ...['SMS Sent', 'SMS Delivered', 'SMS Failed'],
  ...['WhatsApp Sent', 'WhatsApp Delivered', 'WhatsApp Failed'],
  ...['LINE Sent', 'LINE Failed', 'Kakao Sent', 'Kakao Failed'],
  ...['Inbox Delivered', 'Inbox Read', 'Inbox Opened', 'Inbox Deleted'],
] as const;

const MAX_ENTRIES = 1000;
const MAX_ENDPOINT = 2048;
/** Characters of a message code, such as `C3F8-C3863ED4-334AD4F1`. */
const MAX_CODE = 22;

/** A list without duplicates. */
const unique = <Entry>(entries: readonly Entry[]): Entry[] => [...new Set(entries)];

const eventName = oneOf(served);

const SCHEMES = 'must be an address that begins with grpc://, grpcs://, http://, https:// or kafka://';

/** Address of a subscriber (R-EV1); its owner parses it in full. */
export const endpointAddress = identityOf(1, MAX_ENDPOINT).refine(
  (address) => /^((grpc|http)s?|kafka):\/\/\S/i.test(address),
  SCHEMES,
);

/** A subscription without an endpoint waits for its subscriber to connect (R-EV7). */
export const endpoint = optional(endpointAddress);

export const eventNames = listOf(eventName, served.length).transform(unique);

const filter = <Entry extends z.ZodType>(entry: Entry) =>
  optional(array(entry).max(MAX_ENTRIES, `at most ${MAX_ENTRIES} entries`).transform(unique));

/** The filters of a subscription besides event names; absent and empty lists exclude nothing. */
export const filters = {
  applications: filter(applicationCode),
  platforms: filter(
    text
      .refine(isPlatformWord, 'unknown value')
      .meta({ enum: Object.keys(platformWords) })
      .transform((word) => platformWords[word]),
  ),
  campaigns: filter(campaignCode),
  message_codes: filter(identityOf(1, MAX_CODE).transform((code) => code.toUpperCase())),
  enabled: optional(boolean),
} as const;

/** A secret that signs events; only the reply that makes it has it. */
export const newSecret = z.string().optional();

/** A subscription in replies. */
export const shownSubscription = z.object({
  id: z.string(),
  account: z.string(),
  endpoint: z.string(),
  events: z.array(z.string()),
  applications: z.array(z.string()),
  platforms: z.array(z.string()),
  campaigns: z.array(z.string()),
  message_codes: z.array(z.string()),
  enabled: z.boolean(),
  created_at: z.string().nullable(),
  disabled_reason: z.string().nullable(),
  disabled_at: z.string().nullable(),
  deferred_events: z.number(),
  oldest_deferred_at: z.string().nullable(),
  dropped_events: z.number(),
});

export const exampleSubscription = {
  id: 'sub-1',
  account: 'default',
  endpoint: 'grpcs://events.example.com:443',
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
