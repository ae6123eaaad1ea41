import { z } from 'zod';
import { apiV2 } from '../families/api-v2.ts';
import { campaignCode } from '../campaigns/campaign-code.ts';
import { applicationCode } from '../fields/application.ts';
import { day } from '../fields/dates.ts';
import { conditionSchema, CONDITIONS, CONDITIONS_OPERATOR } from '../messages/conditions.ts';
import {
  array,
  boolean,
  identity,
  integer,
  integerOf,
  isObject,
  object,
  oneOf,
  optional,
  text,
  unchecked,
} from '../values.ts';
import { countersOf } from './counters.ts';
import { isPlatformWord, platformWords } from './platform-words.ts';

const DAY_MS = 86_400_000;
const DEFAULT_PER_PAGE = 500;

const platform = text
  .refine(isPlatformWord, 'unknown value')
  .meta({ enum: Object.keys(platformWords) })
  .transform((word) => platformWords[word]);

const dateRange = object({
  date_from: optional(day).describe('The first day, `YYYY-MM-DD`.'),
  date_to: optional(day).describe('The last day, `YYYY-MM-DD`.'),
})
  .refine(({ date_from: from, date_to: to }) => !from || !to || from <= to, 'date_from must not be after date_to')
  .transform(({ date_from: from, date_to: to }) => ({
    createdFrom: from,
    createdBefore: to && new Date(to.getTime() + DAY_MS),
  }));

const source = oneOf([
  'AB_TEST',
  'API',
  'AUTO_PUSH',
  'CP',
  'CSV',
  'CUSTOMER_JOURNEY',
  'EMAIL_API',
  'EMAIL_CP',
  'GEO_ZONE',
  'PUSH_ON_EVENT',
  'RSS',
]);

const MAX_NAMED = 1000;
const named = <Name extends z.ZodType>(name: Name) => array(name).max(MAX_NAMED, `at most ${MAX_NAMED} entries`);

const filters = object({
  application: applicationCode,
  platforms: optional(array(platform).transform((codes) => [...new Set(codes)])).describe(
    'Selects messages sent to at least one of these platforms.',
  ),
  date_range: optional(dateRange).describe('Range of creation dates, in UTC, both days included.'),
  campaign: optional(campaignCode).describe('Code of the campaign of the messages.'),
  source: optional(source).describe('Origin of the message.'),
  messages_codes: optional(named(identity.transform((code) => code.toUpperCase()))).describe('Codes of the messages.'),
  messages_ids: optional(named(integer.refine((id) => id >= 0, 'must be 0 or more').meta({ minimum: 0 }))).describe(
    'Numbers of the messages.',
  ),
  message_type: optional(oneOf(['TRANSACTIONAL', 'BROADCAST', 'ALL'])).describe(
    '`TRANSACTIONAL` for named recipients, `BROADCAST` for others, `ALL`, the default. Without dates, ' +
      '`TRANSACTIONAL` covers the last 7 days and the others 365.',
  ),
}).transform((given) => ({
  application: given.application,
  platforms: given.platforms ?? [],
  createdFrom: given.date_range?.createdFrom,
  createdBefore: given.date_range?.createdBefore,
  campaign: given.campaign,
  source: given.source,
  codes: given.messages_codes ?? [],
  ids: given.messages_ids ?? [],
  type: given.message_type ?? ('ALL' as const),
}));

const counter = z.int();

const counters = countersOf(counter);

const metric = z.object({ platform: z.int().describe('Platform code.'), ...counters });

const localized = z.record(z.string(), z.string());
const parameters = z.record(z.string(), z.unknown());

/** An object or array, or another value in a JSON string (R-I18). */
const customData = unchecked({ title: 'Any JSON value' });

const conditionFields = {
  conditions: z.array(unchecked(conditionSchema)).describe(CONDITIONS),
  conditions_operator: z.enum(['AND', 'OR']).describe(CONDITIONS_OPERATOR),
};

const details = z.object({
  title: z.string().describe('Title of the message.'),
  filter_name: z.string().describe('Name of the segment; empty if there is none.'),
  filter_code: z.string().describe('Code of the segment; empty if there is none.'),
  content: localized.describe('Texts by language; `default` serves every other language.'),
  platform_parameters: z
    .object({
      android_header: z.string().describe('Replaces `title` on Android.'),
      android_root_params: parameters.describe('Members of the payload root on Android.'),
      ios_title: z.string().describe('Replaces `title` on iOS.'),
      ios_subtitle: z.string().describe('Replaces `subtitle` on iOS.'),
      ios_root_params: parameters.describe('Members of the payload root on iOS.'),
      chrome_header: z.string().describe('Title on Chrome.'),
      chrome_root_params: parameters.describe('Members of the payload root on Chrome.'),
      firefox_header: z.string().describe('Title on Firefox.'),
      firefox_root_params: parameters.describe('Members of the payload root on Firefox.'),
    })
    .describe('Settings by platform.'),
  ...conditionFields,
  data: customData.describe('Custom data for the app, as it was given; `{}` if there is none.'),
});

const emailMetric = z.object({
  sends: counters.sends,
  opens: counters.opens,
  deliveries: counters.deliveries,
  hard_bounces: counter.describe(
    'E-mails that were refused or returned for good, by the first bounce of each recipient.',
  ),
  soft_bounces: counter.describe('E-mails that were refused or returned for a passing reason.'),
  rejects: counter.describe('Contacts that were left out as unsubscribed, blacklisted or after a complaint.'),
  confirmed_sends: counter.describe('E-mails that the receiving side accepted.'),
  unsubs: counter.describe('Recipients who unsubscribed.'),
  complaints: counter.describe('Recipients who complained.'),
  errors: counters.errors,
});

const emailDetails = z.object({
  template: z.string().describe('Code of the preset; empty if there is none.'),
  filter_name: z.string().describe('Name of the segment; empty if there is none.'),
  filter_code: z.string().describe('Code of the segment; empty if there is none.'),
  subject: localized.describe('Subjects by language; `default` serves every other language.'),
  from_name: z
    .string()
    .describe('Name of the sender: that of the message, or the one that the application had when it was sent.'),
  from_email: z
    .string()
    .describe('Address of the sender: that of the message, or the one that the application had when it was sent.'),
  reply_name: z.string().describe('Name of the addressee of replies, likewise.'),
  reply_email: z.string().describe('Address for replies, likewise.'),
  follow_user_timezone: z.boolean().describe('Whether the time of sending is local to each recipient.'),
  ...conditionFields,
});

const message = z.object({
  id: z.int().describe('Number of the message.'),
  code: z.string().describe('Code of the message.'),
  created_date: z.string().describe('Time of creation: `YYYY-MM-DD HH:MM:SS` in UTC.'),
  send_date: z.string().describe('Time of sending: `YYYY-MM-DD HH:MM:SS` in UTC.'),
  status: z.string().describe('`CREATING`, `PENDING`, `PROCESSING`, `DONE`, `FAIL` or `CANCELED`.'),
  platforms: z.array(z.string()).describe('Platforms of the message.'),
  source: z.string().describe('Origin of the message.'),
  push_info: z
    .object({
      details: details.optional().describe('Content of the message.'),
      follow_user_timezone: z.boolean().describe('Whether the time of sending is local to each recipient.'),
      metrics: z.array(metric).optional().describe('Metrics by platform.'),
    })
    .optional()
    .describe('Push settings of the message; absent if it reaches e-mail contacts alone.'),
  email_info: z
    .object({
      details: emailDetails.optional().describe('Content of the message.'),
      metrics: z.array(emailMetric).optional().describe('Metrics by platform.'),
    })
    .optional()
    .describe('E-mail settings of the message; absent if it reaches no e-mail contacts.'),
});

export const messagesList = apiV2('messages:list', {
  description: 'Lists the messages of an application, newest first.',
  scope: 'server',
  application: ({ filters: given }) => (isObject(given) ? given['application'] : undefined),
  input: object({
    filters: filters.describe('Selection of messages.'),
    params: optional(
      object({
        with_details: optional(boolean).describe('Whether to return the content; false if left out.'),
        with_metrics: optional(boolean).describe('Whether to return metrics; false if left out.'),
      }),
    ).describe('Optional parts of the reply.'),
    per_page: optional(integerOf(1, 499)).describe('Messages per page; 500 if left out.'),
    page: optional(integer.refine((value) => value >= 0, 'must be 0 or more').meta({ minimum: 0 })).describe(
      'Page number, from 0.',
    ),
  }).transform((request) => ({
    ...request.filters,
    withDetails: request.params?.with_details ?? false,
    withMetrics: request.params?.with_metrics ?? false,
    perPage: request.per_page ?? DEFAULT_PER_PAGE,
    page: request.page ?? 0,
  })),
  output: z.object({
    total: z.int().describe('Number of matching messages.'),
    items: z.array(message).describe('The messages, newest first.'),
  }),
  examples: [
    {
      request: {
        filters: {
          application: 'A1B2C-3D4E5',
          platforms: ['IOS', 'ANDROID'],
          date_range: { date_from: '2026-01-01', date_to: '2026-01-31' },
          message_type: 'ALL',
        },
        params: { with_metrics: true },
        per_page: 10,
        page: 0,
      },
      reply: {
        total: 1,
        items: [
          {
            id: 799_372_861_440_512,
            code: 'C3F8-C3863ED4-334AD4F1',
            created_date: '2026-01-15 12:00:00',
            send_date: '2026-01-15 12:00:00',
            status: 'DONE',
            platforms: ['IOS', 'ANDROID'],
            source: 'API',
            push_info: {
              follow_user_timezone: false,
              metrics: [
                { platform: 1, sends: 5, opens: 2, deliveries: 4, inbox_opens: 0, unshowable_sends: 1, errors: 0 },
              ],
            },
          },
        ],
      },
    },
  ],
});
