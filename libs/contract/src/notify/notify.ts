import { z } from 'zod';
import { notifyMethod } from '../families/notify.ts';
import type { Request } from '../method.ts';
import { alternative, isGiven, optionalUnless } from '../presence.ts';
import { transactionId } from '../messages/message-fields.ts';
import { sendRate } from '../messages/send-rate.ts';
import { boolean, identity, identityOf, isObject, listOf, object, oneOf, optional } from '../values.ts';
import { commonFields, commonOf } from './common.ts';
import { filter } from './filter.ts';

const MAX_NAMES = 1000;

const notifiedRate = object({
  value: sendRate.describe('Pushes a second, 100 to 1,000.'),
  bucket: optional(oneOf(['1s'])).describe('Length of the interval: always `1s`.'),
  avoid: optional(boolean).describe('Sends without a rate, also if the preset has one.'),
}).transform(({ value, avoid = false }) => ({ value, avoid }));

const NO_RATE = { value: undefined, avoid: false };

const segment = object({
  ...commonFields,
  platforms: commonFields.platforms.describe(
    'Platforms by name, such as `IOS`, or by code. Empty or left out: those that the blocks serve.',
  ),
  message_type: commonFields.message_type.describe(
    '`MESSAGE_TYPE_MARKETING`, the default, or `MESSAGE_TYPE_TRANSACTIONAL`, which is exempt from frequency caps ' +
      'and control groups.',
  ),
  code: alternative(identityOf(1, 255)).describe('Code of the segment.'),
  expression: alternative(identity).describe(
    'Expression of the segmentation language that selects the devices. A device always belongs to `application`.',
  ),
  filter_expression: alternative(filter).describe('The structured form of an expression.'),
  send_rate: optional(notifiedRate).describe(
    'Maximum pushes a second, over all platforms; the rate of the preset if left out.',
  ),
}).transform((given, context) => {
  const { code, expression, filter_expression: tree } = given;
  if ([code, expression, tree].filter((each) => each !== undefined).length > 1) {
    const message = 'at most one of code, expression, filter_expression';
    context.issues.push({ code: 'custom', message, input: given });
  }
  const recipients =
    code !== undefined
      ? ({ kind: 'filter', name: '', code } as const)
      : expression !== undefined
        ? ({ kind: 'expression', source: expression } as const)
        : tree
          ? ({ kind: 'structured', filter: tree } as const)
          : ({ kind: 'everyone' } as const);
  return {
    ...commonOf(given, false, context),
    recipients,
    returnsUnknown: false,
    sendRate: given.send_rate ?? NO_RATE,
  };
});

const list = object({
  list: listOf(identity, MAX_NAMES)
    .transform((names) => [...new Set(names)])
    .describe('The recipients, 1 to 1,000; repeated ones count once.'),
});

const transactional = object({
  ...commonFields,
  platforms: commonFields.platforms.describe(
    'Platforms that the recipients are restricted to, by name or code. Empty or left out: those that the blocks ' +
      'serve.',
  ),
  message_type: commonFields.message_type.describe(
    '`MESSAGE_TYPE_TRANSACTIONAL`, the default, or `MESSAGE_TYPE_MARKETING`.',
  ),
  hwids: alternative(list).describe('Recipients by hwid.'),
  users: alternative(list).describe('Recipients by user id: all their devices.'),
  push_tokens: alternative(list).describe('Recipients by push token.'),
  test_devices: optional(boolean).describe(
    'Whether the recipients are the test devices of the application. They are in no audience, figure or event; the ' +
      'funnel has no events.',
  ),
  return_unknown_identifiers: optional(boolean).describe(
    'Whether the reply lists unknown recipients; true if left out.',
  ),
  use_latest_user_device: optional(boolean).describe(
    'Whether only the most recently active device of each user, on the platforms of the message, is meant.',
  ),
}).transform((given, context) => {
  const { hwids, users, push_tokens: tokens, test_devices: isTest = false } = given;
  if ([hwids, users, tokens].filter((each) => each !== undefined).length + (isTest ? 1 : 0) !== 1) {
    const message = 'exactly one of hwids, users, push_tokens, test_devices is required';
    context.issues.push({ code: 'custom', message, input: given });
  }
  const names = (hwids ?? users ?? tokens)?.list ?? [];
  const recipients = users
    ? ({ kind: 'users', names, latestDevice: given.use_latest_user_device === true } as const)
    : isTest
      ? ({ kind: 'testDevices', names: [] } as const)
      : ({ kind: hwids ? 'hwids' : 'pushTokens', names } as const);
  const returnsUnknown = given.return_unknown_identifiers !== false;
  return { ...commonOf(given, true, context), recipients, returnsUnknown, sendRate: NO_RATE };
});

/** Refused before the application, and all that either message lacks (R-O3, R-ER4). */
const oneOfBoth = ({ segment: toSegment, transactional: toNames }: Request): string | undefined =>
  isGiven(toSegment) === isGiven(toNames) ? 'exactly one of segment, transactional' : undefined;

const input = object({
  transaction_id: optional(transactionId),
  segment: optionalUnless(segment, oneOfBoth).describe(
    'A message to a segment of an application. Required without `transactional`.',
  ),
  transactional: alternative(transactional).describe('A message to named recipients. Required without `segment`.'),
}).transform(({ transaction_id, segment: toSegment, transactional: toNames }) => ({
  transactionId: transaction_id ?? '',
  path: toSegment ? 'segment' : 'transactional',
  message: (toSegment ?? toNames)!,
}));

const applicationIn = (request: Request): unknown => {
  const message = request['segment'] ?? request['transactional'];
  return isObject(message) ? message['application'] : undefined;
};

export const notify = notifyMethod('notify', {
  description:
    'Sends one message, to a segment of an application or to named recipients. Names of fields may be in camel case. ' +
    'The reply always has the code of the message, and unknown recipients if there are any.',
  application: applicationIn,
  input,
  // Compiling takes some 300 ms of CPU time, and saves 0.15 ms a request.
  isCompiled: false,
  output: z.object({
    result: z
      .object({
        message_code: z.string().describe('Code of the message.'),
        unknown_identifiers: z
          .array(z.string())
          .optional()
          .describe('Recipients that are not registered; absent if there are none.'),
      })
      .describe('The result.'),
  }),
  examples: [
    {
      request: {
        transaction_id: 'news-17',
        segment: {
          application: 'A1B2C-3D4E5',
          platforms: ['IOS', 'ANDROID'],
          schedule: { at: '2020-01-15T12:00:00Z' },
          expression: 'Tag("A1B2C-3D4E5", "Level", GTE, 5)',
          payload: {
            content: {
              localized_content: {
                en: {
                  default: { title: 'News', body: 'Hello {{Name|CapitalizeFirst|friend}}' },
                  ios: { body: 'Hello', sound: 'default' },
                },
                de: { default: { title: 'Neues', body: 'Hallo' }, ios: { body: 'Hallo auf iOS', sound: 'default' } },
              },
            },
            custom_data: { article: 17 },
            open_action: { link: { url: 'https://example.com/17', shortener: 'NONE' } },
          },
          campaign_name: 'News',
          frequency_capping: { days: 7, count: 3 },
          dynamic_content_placeholders: { Name: 'Anna' },
          meta_data: { origin: 'shop' },
        },
      },
      reply: { result: { message_code: 'C3F8-C3863ED4-334AD4F1' } },
    },
    {
      request: {
        transactional: {
          application: 'A1B2C-3D4E5',
          hwids: { list: ['phone-1', 'phone-2'] },
          payload: { content: { localized_content: { default: { default: { body: 'Your code is 4711' } } } } },
        },
      },
      reply: { result: { message_code: 'C3F8-C3863ED4-334AD4F2', unknown_identifiers: ['phone-2'] } },
    },
    {
      request: {
        segment: {
          application: 'A1B2C-3D4E5',
          schedule: { after: '5s' },
          filter_expression: {
            operator: 'OR',
            conditions: [
              { tag: { name: 'Level', operator: 'GTE', value: 5 } },
              { application: { code: 'A1B2C-3D4E5', platforms: ['IOS'], with_tokens: true }, negated: true },
            ],
          },
          payload: { preset: 'B1B2C-3D4E5', open_actions: { 1: { link: { url: 'news://17' } } } },
        },
      },
      reply: { result: { message_code: 'C3F8-C3863ED4-334AD4F3' } },
    },
    {
      request: {
        transactional: {
          application: 'A1B2C-3D4E5',
          users: { list: ['anna'] },
          payload: { silent: true, custom_data: { refresh: true } },
        },
      },
      reply: { result: { message_code: 'C3F8-C3863ED4-334AD4F4' } },
    },
    {
      request: {
        segment: {
          application: 'A1B2C-3D4E5',
          email_payload: {
            subject: { en: 'News for {{Name}}', de: 'Neues für {{Name}}' },
            body: { en: '<p>Hello {{Name}}</p>', de: '<p>Hallo {{Name}}</p>' },
            from: { name: 'Shop', email: 'shop@example.com' },
            reply_to: { name: 'Help', email: 'help@example.com' },
            list_unsubscribe: 'https://example.com/leave',
            attachments: [{ name: 'prices.txt', content: 'T25lCg==' }],
            bcc: ['archive@example.com'],
          },
          email_category: 'News',
        },
      },
      reply: { result: { message_code: 'C3F8-C3863ED4-334AD4F6' } },
    },
    {
      request: {
        transactional: {
          application: 'A1B2C-3D4E5',
          users: { list: ['anna'] },
          email_payload: { email_template: 'B1B2C-3D4E5', subject: 'Your order' },
        },
      },
      reply: { result: { message_code: 'C3F8-C3863ED4-334AD4F7' } },
    },
    {
      request: {
        transactional: {
          application: 'A1B2C-3D4E5',
          test_devices: true,
          payload: { preset: 'B1B2C-3D4E5' },
        },
      },
      reply: { result: { message_code: 'C3F8-C3863ED4-334AD4F5' } },
    },
  ],
});

export type NotifyMessage = z.output<typeof input>['message'];
