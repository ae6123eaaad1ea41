import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { applicationCode } from '../fields/application.ts';
import { identity, object } from '../values.ts';

/** The answers to why a device did or did not get a message. */
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

const answer = z.object({ category: z.string(), code: z.string(), name: z.string() });

const outcome = z.object({
  platform: z.int(),
  audience: z.string(),
  result: z.enum(['SENT', 'FAILED', 'IN_FLIGHT', 'EXCLUDED']),
  error: answer.nullable(),
  at: time.nullable(),
  displayable: z.boolean().nullable(),
  delivered_at: time.nullable(),
  opened_at: time.nullable(),
  bounce: z.string().nullable(),
  delivered_in_window: z.boolean(),
  opened_in_window: z.boolean(),
});

const plan = z.object({
  bucket: z.int(),
  decided_at: time,
  platform: z.int(),
  excluded: z.string().nullable(),
  failure: answer.nullable(),
  slice: z.object({ variant: z.string(), number: z.int() }).nullable(),
  inbox_only: z.boolean(),
  inbox_until: time.nullable(),
});

const attempt = z.object({
  bucket: z.int(),
  channel: z.string(),
  state: z.enum(['claimed', 'deferred', 'settled']),
  claims: z.int(),
  claimed_at: time,
  settled_at: time.nullable(),
  result: answer.nullable(),
  tries: z.int(),
  first_tried_at: time.nullable(),
  due_at: time.nullable(),
  last_answer: answer.nullable(),
  outcome_unknown: z.boolean(),
});

/**
 * Explains why a device did or did not get a message: its place in the plan, the attempts to send to it while they are remembered, and its outcome
 * for 30 days. Summed over an audience, the outcomes are the delivery funnel. 404 if the device or the message is unknown (R-T8, R-LM3).
 */
export const explain = admin('explain', {
  route: 'GET explain',
  input: object({
    application: applicationCode,
    message: identity.transform((code) => code.toUpperCase()),
    hwid: identity,
  }),
  output: z.object({
    answer: z.enum(explainAnswers),
    reason: z.string().nullable(),
    explanation: z.string(),
    device: z.object({ number: z.int(), deleted: z.boolean(), platform: z.int().nullable() }),
    message: z.object({
      code: z.string(),
      status: z.string(),
      hidden: z.boolean(),
      applications: z.int(),
      send_date: time.nullable(),
      released_at: time.nullable(),
    }),
    outcomes: z.array(outcome),
    plans: z.array(plan),
    attempts: z.array(attempt),
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
