import { isPlatform } from '@tidings/kernel';
import { z } from 'zod';
import { apiV2 } from '../families/api-v2.ts';
import { array, identity, integer, object, optional } from '../values.ts';

const count = z.string();

const interval = z.object({
  timestamp: z.string(),
  platform: z.int(),
  sends: count,
  opens: count,
  deliveries: count,
  inbox_opens: count,
  unshowable_sends: count,
  errors: count,
});

const event = z.object({ name: z.string(), hits: z.int(), conversion: z.number(), revenue: z.number().optional() });

/** Returns the metrics of a message by hour, and the events of its recipients that followed an open (R-H5 to R-H7). Spec H. */
export const totalsByIntervals = apiV2('statistics/messages/totalsByIntervals', {
  scope: 'server',
  input: object({
    message_code: identity.transform((code) => code.toUpperCase()),
    platforms: optional(array(integer.refine(isPlatform, 'unknown value'))),
  }).transform((request) => ({ code: request.message_code, platforms: request.platforms ?? [] })),
  output: z.object({
    metrics: z.array(interval),
    conversion: z.object({ sends: count, opens: count, events: z.array(event) }),
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
