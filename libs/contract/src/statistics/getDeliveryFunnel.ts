import { isPlatform } from '@tidings/kernel';
import { z } from 'zod';
import { apiV2 } from '../families/api-v2.ts';
import { array, identity, integer, object, optional } from '../values.ts';

const count = z.string();
const platforms = z.array(z.object({ platform: z.int(), count }));

const piece = z.object({
  kind: z.enum(['KIND_PASSED', 'KIND_REASON', 'KIND_SUBSET']),
  category: z.string(),
  count,
  platforms,
});

const error = z.object({
  category: z.string(),
  count,
  platforms,
  codes: z.array(z.object({ platform: z.int(), code: z.string(), name: z.string(), count })),
});

const stage = z.object({ stage: z.string(), count, pieces: z.array(piece), errors: z.array(error), platforms });

const channel = z.object({
  channel: z.string(),
  deliveries_form: z.string(),
  basic_form_reason: z.string(),
  confirmed_deliveries: z.object({ count, platforms }),
  funnel: z.array(stage),
});

/** Returns the outcomes of a message's audience, stage by stage (R-H7 to R-H20). Spec H. */
export const getDeliveryFunnel = apiV2('statistics/messages/getDeliveryFunnel', {
  scope: 'server',
  input: object({
    message_code: identity.transform((code) => code.toUpperCase()),
    platforms: optional(array(integer.refine(isPlatform, 'unknown value'))),
  }).transform((request) => ({ code: request.message_code, platforms: request.platforms ?? [] })),
  output: z.object({
    funnel_state: z.string(),
    window_from: z.string().nullable(),
    window_to: z.string().nullable(),
    channels: z.array(channel),
  }),
  examples: [
    {
      request: { message_code: 'C3F8-C3863ED4-334AD4F1', platforms: [1, '3'] },
      reply: { funnel_state: 'FUNNEL_STATE_NO_EVENTS', window_from: null, window_to: null, channels: [] },
    },
  ],
});
