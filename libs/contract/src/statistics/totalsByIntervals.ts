import { isPlatform } from '@tidings/kernel';
import { z } from 'zod';
import { apiV2 } from '../families/api-v2.ts';
import { array, identity, integer, object, optional } from '../values.ts';
import { countersOf } from './counters.ts';

const counters = countersOf(z.string());

const interval = z.object({
  timestamp: z.string().describe('Start of the hour: `YYYY-MM-DD HH:MM:SS` in UTC.'),
  platform: z.int().describe('Platform code.'),
  ...counters,
});

const event = z.object({
  name: z.string().describe('Name of the event; `In-app Purchase` for `setPurchase`.'),
  hits: z.int().describe('Number of events.'),
  conversion: z.number().describe('Hits relative to opens, rounded to 4 decimals; 0 without opens.'),
  revenue: z
    .number()
    .optional()
    .describe('Sum of the amounts, without conversion of currencies. Absent if no event had an amount and a currency.'),
});

export const totalsByIntervals = apiV2('statistics/messages/totalsByIntervals', {
  description: 'Returns the metrics of a message by hour, and the events of its recipients that followed an open.',
  scope: 'server',
  input: object({
    message_code: identity.transform((code) => code.toUpperCase()).describe('Code of the message.'),
    platforms: optional(array(integer.refine(isPlatform, 'unknown value'))).describe(
      'Platform codes to count; empty or left out: all.',
    ),
  }).transform((request) => ({ code: request.message_code, platforms: request.platforms ?? [] })),
  output: z.object({
    metrics: z
      .array(interval)
      .describe(
        'Metrics by hour and platform, in this order; rows without any count are left out. A counter belongs to the ' +
          'hour of its own event.',
      ),
    conversion: z
      .object({
        sends: counters.sends,
        opens: counters.opens,
        events: z
          .array(event)
          .describe(
            'The events by name. An event counts for the message that its device opened last before it, and when ' +
              'it is reported.',
          ),
      })
      .describe('Events and purchases of devices within 24 hours after they opened the message.'),
  }),
  examples: [
    {
      request: { message_code: 'C3F8-C3863ED4-334AD4F1', platforms: [1] },
      reply: {
        metrics: [
          {
            timestamp: '2026-01-15 12:00:00',
            platform: 1,
            sends: '5',
            opens: '2',
            deliveries: '4',
            inbox_opens: '0',
            unshowable_sends: '1',
            errors: '0',
          },
        ],
        conversion: {
          sends: '5',
          opens: '2',
          events: [{ name: 'In-app Purchase', hits: 1, conversion: 0.5, revenue: 4.99 }],
        },
      },
    },
  ],
});
