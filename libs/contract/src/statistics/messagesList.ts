import { z } from 'zod';
import { apiV2 } from '../families/api-v2.ts';
import { campaignCode } from '../campaigns/campaign-code.ts';
import { applicationCode } from '../fields/application.ts';
import { day } from '../fields/dates.ts';
import { conditionSchema } from '../messages/conditions.ts';
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
import { isPlatformWord, platformWords } from './platform-words.ts';

const DAY_MS = 86_400_000;
const DEFAULT_PER_PAGE = 500;

const platform = text
  .refine(isPlatformWord, 'unknown value')
  .meta({ enum: Object.keys(platformWords) })
  .transform((word) => platformWords[word]);

const dateRange = object({ date_from: optional(day), date_to: optional(day) })
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

/** Maximum number of messages in a request; the same as of devices (R-I3). */
const MAX_NAMED = 1000;
const named = <Name extends z.ZodType>(name: Name) => array(name).max(MAX_NAMED, `at most ${MAX_NAMED} entries`);

const filters = object({
  application: applicationCode,
  platforms: optional(array(platform).transform((codes) => [...new Set(codes)])),
  date_range: optional(dateRange),
  campaign: optional(campaignCode),
  source: optional(source),
  messages_codes: optional(named(identity.transform((code) => code.toUpperCase()))),
  messages_ids: optional(named(integer.refine((id) => id >= 0, 'must be 0 or more').meta({ minimum: 0 }))),
  message_type: optional(oneOf(['TRANSACTIONAL', 'BROADCAST', 'ALL'])),
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

const metric = z.object({
  platform: z.int(),
  sends: counter,
  opens: counter,
  deliveries: counter,
  inbox_opens: counter,
  unshowable_sends: counter,
  errors: counter,
});

const localized = z.record(z.string(), z.string());
const parameters = z.record(z.string(), z.unknown());

/** An object or array, or any other value that was given as a JSON string (R-I18). */
const customData = unchecked({ title: 'Any JSON value' });

const details = z.object({
  title: z.string(),
  filter_name: z.string(),
  filter_code: z.string(),
  content: localized,
  platform_parameters: z.object({
    android_header: z.string(),
    android_root_params: parameters,
    ios_title: z.string(),
    ios_subtitle: z.string(),
    ios_root_params: parameters,
    chrome_header: z.string(),
    chrome_root_params: parameters,
    firefox_header: z.string(),
    firefox_root_params: parameters,
  }),
  conditions: z.array(unchecked(conditionSchema)),
  conditions_operator: z.enum(['AND', 'OR']),
  data: customData,
});

/** Metrics of e-mail (R-E16). */
const emailMetric = z.object({
  sends: counter,
  opens: counter,
  deliveries: counter,
  hard_bounces: counter,
  soft_bounces: counter,
  rejects: counter,
  confirmed_sends: counter,
  unsubs: counter,
  complaints: counter,
  errors: counter,
});

const emailDetails = z.object({
  template: z.string(),
  filter_name: z.string(),
  filter_code: z.string(),
  subject: localized,
  from_name: z.string(),
  from_email: z.string(),
  reply_name: z.string(),
  reply_email: z.string(),
  follow_user_timezone: z.boolean(),
  conditions: z.array(unchecked(conditionSchema)),
  conditions_operator: z.enum(['AND', 'OR']),
});

const message = z.object({
  id: z.int(),
  code: z.string(),
  created_date: z.string(),
  send_date: z.string(),
  status: z.string(),
  platforms: z.array(z.string()),
  source: z.string(),
  push_info: z
    .object({
      details: details.optional(),
      follow_user_timezone: z.boolean(),
      metrics: z.array(metric).optional(),
    })
    .optional(),
  email_info: z.object({ details: emailDetails.optional(), metrics: z.array(emailMetric).optional() }).optional(),
});

/** Lists the messages of an application, newest first (R-H2, R-H3, R-RES22). Spec H. */
export const messagesList = apiV2('messages:list', {
  scope: 'server',
  application: ({ filters: given }) => (isObject(given) ? given['application'] : undefined),
  input: object({
    filters,
    params: optional(object({ with_details: optional(boolean), with_metrics: optional(boolean) })),
    per_page: optional(integerOf(1, 499)),
    page: optional(integer.refine((value) => value >= 0, 'must be 0 or more').meta({ minimum: 0 })),
  }).transform((request) => ({
    ...request.filters,
    withDetails: request.params?.with_details ?? false,
    withMetrics: request.params?.with_metrics ?? false,
    perPage: request.per_page ?? DEFAULT_PER_PAGE,
    page: request.page ?? 0,
  })),
  output: z.object({ total: z.int(), items: z.array(message) }),
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
