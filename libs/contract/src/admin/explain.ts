import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { applicationCode } from '../fields/application.ts';
import { identity, object } from '../values.ts';

export const explainAnswers = [
  'NOT_RELEASED',
  'CANCELED',
  'NOT_DECIDED',
  'NOT_ADDRESSED',
  'EXCLUDED',
  'FAILED',
  'IN_FLIGHT',
  'SENT',
  'INBOX_ONLY',
  'EXPIRED',
] as const;

const time = z.string();

const answerOf = (name: string, category = 'Category, such as `ELIGIBLE_AUDIENCE` or `INVALID_TOKEN`.') =>
  z.object({
    category: z.string().describe(category),
    code: z.string().describe('Provider code, or `0` for an internal cause.'),
    name: z.string().describe(name),
  });

const outcome = z.object({
  platform: z.int().describe('Platform code at the time of the decision.'),
  audience: z.string().describe('`ELIGIBLE_AUDIENCE`, or the reason for the exclusion.'),
  result: z.enum(['SENT', 'FAILED', 'IN_FLIGHT', 'EXCLUDED']).describe('`SENT`, `FAILED`, `IN_FLIGHT` or `EXCLUDED`.'),
  error: answerOf('Provider reason, or an internal cause such as `no_token`.')
    .nullable()
    .describe('The final failure; null without one.'),
  at: time
    .nullable()
    .describe('Hour in which the provider accepted the push, or in which it failed: RFC 3339, in UTC.'),
  displayable: z.boolean().nullable().describe('Whether notifications were on at send time; null if nothing was sent.'),
  delivered_at: time
    .nullable()
    .describe(
      'Hour of the delivery report or the open, whichever came first; of an e-mail without a bounce, of its ' +
        'acceptance: RFC 3339, in UTC; null without any.',
    ),
  opened_at: time.nullable().describe('Hour of the open: RFC 3339, in UTC; null without one.'),
  bounce: z
    .string()
    .nullable()
    .describe('Category of the bounce, such as `BOUNCED_HARD_GENERAL`; null if it is no e-mail, or did not bounce.'),
  delivered_in_window: z.boolean().describe('Whether the delivery counts in the rows of the funnel.'),
  opened_in_window: z.boolean().describe('Whether the open counts in the rows of the funnel.'),
});

const plan = z.object({
  bucket: z.int().describe('Distinguishes the decisions of a message.'),
  decided_at: time.describe('Time of the decision: RFC 3339, in UTC.'),
  platform: z.int().describe('Platform code at the time of the decision.'),
  excluded: z.string().nullable().describe('Reason for the exclusion; null for an eligible device.'),
  failure: answerOf('Internal cause, such as `no_token`.')
    .nullable()
    .describe('Failure before sending; null without one.'),
  slice: z
    .object({ variant: z.string().describe('Kind of push.'), number: z.int().describe('Number of the slice, from 0.') })
    .nullable()
    .describe('The devices that it is sent with; null if nothing is sent to it.'),
  inbox_only: z
    .boolean()
    .describe(
      'Whether the device has no push token and is in the audience of the inbox alone: it has no outcome of pushes.',
    ),
  inbox_until: time
    .nullable()
    .describe('Time at which the entry leaves the inbox: RFC 3339, in UTC. Null if the device gets none.'),
});

const attempt = z.object({
  bucket: z.int().describe('Distinguishes the decisions of a message.'),
  channel: z.string().describe('The channel, such as `apns`.'),
  state: z
    .enum(['claimed', 'deferred', 'settled'])
    .describe(
      '`claimed`: being sent. `deferred`: waits for a retry. `settled`: all devices of the slice have a result.',
    ),
  claims: z.int().describe('Number of times that a worker has taken up the slice.'),
  claimed_at: time.describe('Time of the first claim: RFC 3339, in UTC.'),
  settled_at: time.nullable().describe('End of the slice: RFC 3339, in UTC; null before it.'),
  result: answerOf('Provider reason, or an internal cause.', '`SENT`, or a category of `STAGE_ERRORS`.')
    .nullable()
    .describe('The final answer; null without one.'),
  tries: z.int().describe('Failed tries that permit another one.'),
  first_tried_at: time.nullable().describe('Time of the first try: RFC 3339, in UTC; null without one.'),
  due_at: time.nullable().describe('Time of the next try: RFC 3339, in UTC; null if none is due.'),
  last_answer: answerOf('Provider reason.').nullable().describe('The last answer of the provider; null without one.'),
  outcome_unknown: z.boolean().describe('Whether a try had no answer: the push may have been delivered.'),
});

export const explain = admin('explain', {
  description:
    'Explains why a device did or did not get a message: its place in the plan, the attempts to send to it while ' +
    'they are remembered, and its outcome for 30 days. Summed over an audience, the outcomes are the delivery ' +
    'funnel. 404 if the device or the message is unknown.',
  route: 'GET explain',
  input: object({
    application: applicationCode.describe('Code of the application of the device.'),
    message: identity.transform((code) => code.toUpperCase()).describe('Code of the message, hidden ones included.'),
    hwid: identity.describe('The device.'),
  }),
  output: z.object({
    answer: z
      .enum(explainAnswers)
      .describe(
        '`SENT`, `FAILED`, `EXCLUDED`, `NOT_ADDRESSED`, `IN_FLIGHT`; `INBOX_ONLY` for a device without a push ' +
          'token that has the message in the inbox; `NOT_RELEASED`, `CANCELED` or `NOT_DECIDED` before there are ' +
          'recipients; `EXPIRED` 30 days after the message began.',
      ),
    reason: z
      .string()
      .nullable()
      .describe(
        'Category of an exclusion or failure, state of the attempt in flight, or why the message does not address ' +
          'the device: `application`, `deleted`, `registered_later`, `platform`, `not_joined`, `not_named`, ' +
          '`no_token` or `filter`; null for other answers.',
      ),
    explanation: z.string().describe('The answer in words.'),
    device: z
      .object({
        number: z.int().describe('Number of the device in its application.'),
        deleted: z.boolean().describe('Whether the device was deleted.'),
        platform: z.int().nullable().describe('Platform code; null if the device was deleted.'),
      })
      .describe('The device.'),
    message: z
      .object({
        code: z.string().describe('Code of the message.'),
        status: z.string().describe('`CREATING`, `PENDING`, `PROCESSING`, `DONE`, `FAIL` or `CANCELED`.'),
        hidden: z.boolean().describe('Whether the message is absent from the history.'),
        applications: z.int().describe('Number of applications that the message was sent to.'),
        send_date: time.nullable().describe('Time of sending: RFC 3339, in UTC.'),
        released_at: time.nullable().describe('Start of processing: RFC 3339, in UTC; null before it.'),
      })
      .describe('Code of the message, hidden ones included.'),
    outcomes: z
      .array(outcome)
      .describe(
        'Place of the device in the figures, by platform. Summed over an audience, outcomes are the delivery funnel.',
      ),
    plans: z.array(plan).describe('Decisions on the device: one, or one for each time that it joined the message.'),
    attempts: z
      .array(attempt)
      .describe('Attempts to send, which are remembered for 48 hours from the end of the slice.'),
  }),
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', message: 'C3F8-C3863ED4-334AD4F1', hwid: 'phone-1' },
      reply: {
        answer: 'FAILED',
        reason: 'INVALID_TOKEN',
        explanation: 'Sending failed: INVALID_TOKEN, 410 Unregistered.',
        device: { number: 7, deleted: false, platform: 1 },
        message: {
          code: 'C3F8-C3863ED4-334AD4F1',
          status: 'DONE',
          hidden: false,
          applications: 1,
          send_date: '2026-01-15T12:00:00Z',
          released_at: '2026-01-15T12:00:00Z',
        },
        outcomes: [
          {
            platform: 1,
            audience: 'ELIGIBLE_AUDIENCE',
            result: 'FAILED',
            error: { category: 'INVALID_TOKEN', code: '410', name: 'Unregistered' },
            at: '2026-01-15T12:00:00Z',
            displayable: null,
            delivered_at: null,
            opened_at: null,
            bounce: null,
            delivered_in_window: false,
            opened_in_window: false,
          },
        ],
        plans: [
          {
            bucket: 0,
            decided_at: '2026-01-15T12:00:00Z',
            platform: 1,
            excluded: null,
            failure: null,
            slice: { variant: 'alert', number: 0 },
            inbox_only: false,
            inbox_until: null,
          },
        ],
        attempts: [],
      },
    },
  ],
});
