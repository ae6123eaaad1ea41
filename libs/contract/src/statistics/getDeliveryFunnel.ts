import { isPlatform } from '@tidings/kernel';
import { z } from 'zod';
import { apiV2 } from '../families/api-v2.ts';
import { array, identity, integer, object, optional } from '../values.ts';

const count = z.string().describe('Number of devices, as text.');
const platforms = z
  .array(z.object({ platform: z.int().describe('Platform code.'), count }))
  .describe('The count by platform.');

const piece = z.object({
  kind: z
    .enum(['KIND_PASSED', 'KIND_REASON', 'KIND_SUBSET'])
    .describe(
      '`KIND_PASSED`: goes on to the next stage. `KIND_REASON`: does not. `KIND_SUBSET`: overlaps and must not be ' +
        'summed.',
    ),
  category: z.string().describe('Category, such as `ELIGIBLE_AUDIENCE` or `INVALID_TOKEN`.'),
  count,
  platforms,
});

const error = z.object({
  category: z.string().describe('Category, such as `ELIGIBLE_AUDIENCE` or `INVALID_TOKEN`.'),
  count,
  platforms,
  codes: z
    .array(
      z.object({
        platform: z.int().describe('Platform code.'),
        code: z.string().describe('Provider code, or `0` for an internal cause.'),
        name: z.string().describe('Provider reason, or an internal cause such as `no_token`.'),
        count,
      }),
    )
    .describe('The failures by provider code.'),
});

const stage = z.object({
  stage: z
    .string()
    .describe(
      'The stage: `STAGE_AUDIENCE`, `STAGE_SENT`, `STAGE_ERRORS`, `STAGE_DELIVERIES` or `STAGE_OPENED`; ' +
        '`STAGE_INTERACTIONS` for e-mail, `STAGE_REACHED` and `STAGE_READ` for the app inbox.',
    ),
  count,
  pieces: z.array(piece).describe('Parts of the stage; empty for errors.'),
  errors: z.array(error).describe('Failures by category; empty for other stages.'),
  platforms,
});

const channel = z.object({
  channel: z.string().describe('The channel, such as `CHANNEL_MOBILE_PUSH`.'),
  deliveries_form: z
    .string()
    .describe('`DELIVERIES_FORM_PER_DEVICE`: deliveries have four disjoint rows; `DELIVERIES_FORM_BASIC`: two rows.'),
  basic_form_reason: z
    .string()
    .describe('Reason for the basic form; `BASIC_FORM_REASON_UNSPECIFIED` for the per-device form.'),
  confirmed_deliveries: z
    .object({
      count,
      platforms,
    })
    .describe('Devices that confirmed delivery. The number may exceed the deliveries stage.'),
  funnel: z.array(stage).describe('The stages, starting with the audience.'),
});

export const getDeliveryFunnel = apiV2('statistics/messages/getDeliveryFunnel', {
  description: "Returns the outcomes of a message's audience, stage by stage.",
  scope: 'server',
  input: object({
    message_code: identity.transform((code) => code.toUpperCase()).describe('Code of the message.'),
    platforms: optional(array(integer.refine(isPlatform, 'unknown value'))).describe(
      'Platform codes to count; empty or left out: all.',
    ),
  }).transform((request) => ({ code: request.message_code, platforms: request.platforms ?? [] })),
  output: z.object({
    funnel_state: z
      .string()
      .describe(
        '`FUNNEL_STATE_READY`, `FUNNEL_STATE_NO_EVENTS` (no events yet) or `FUNNEL_STATE_EXPIRED` (sent too long ' +
          'ago).',
      ),
    window_from: z.string().nullable().describe('Start of the period that is counted; null if there are no figures.'),
    window_to: z.string().nullable().describe('End of the period that is counted; null if there are no figures.'),
    channels: z.array(channel).describe('The figures by channel; empty if there are none.'),
  }),
  examples: [
    {
      request: { message_code: 'C3F8-C3863ED4-334AD4F1', platforms: [1, '3'] },
      reply: { funnel_state: 'FUNNEL_STATE_NO_EVENTS', window_from: null, window_to: null, channels: [] },
    },
  ],
});
