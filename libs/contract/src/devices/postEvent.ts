import { z } from 'zod';
import { parseWithin } from '../forward.ts';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { clientMoment } from '../fields/dates.ts';
import { hwid, userId } from '../fields/device.ts';
import { anyObject, identityOf, isObject, number, object, optional, textOf } from '../values.ts';
import { jsonObject } from '../messages/texts.ts';

const currencyText = textOf(1, 255);

/** Negative for a refund; needs both amount and currency (R-H6). */
function worthOf(attributes: unknown): { readonly amount?: number; readonly currency?: string } {
  if (!isObject(attributes)) return {};
  const amount = number.safeParse(attributes['amount'] ?? attributes['__amount']);
  const currency = currencyText.safeParse(attributes['currency'] ?? attributes['__currency']);
  return amount.success && currency.success ? { amount: amount.data, currency: currency.data.toUpperCase() } : {};
}

const definition = {
  scope: 'device',
  body: 'either',
  input: object({
    application: applicationCode,
    event: identityOf(1, 255).describe('Name of the event.'),
    hwid: optional(hwid).describe('The device that the event belongs to. Required without `userId`.'),
    userId: optional(userId).describe(
      'The user. If `hwid` is left out, the event belongs to the device that the user used last.',
    ),
    attributes: optional(anyObject).describe(
      'Values of the event. `amount` and `currency` together give its monetary value.',
    ),
    timestampUTC: optional(clientMoment).describe(
      'Time of the event: Unix seconds or milliseconds, or a date. It decides which open the event follows; up to ' +
        '72 hours ago count.',
    ),
    timestampCurrent: optional(clientMoment).describe('Time of the event by the clock and time zone of the device.'),
  })
    .refine((request) => (request.hwid ?? request.userId) !== undefined, { path: ['hwid'], error: 'must be set' })
    .transform(({ attributes, timestampUTC: happenedAt, timestampCurrent: localAt, ...given }, context) => ({
      ...given,
      ...worthOf(attributes),
      attributes: attributes && parseWithin(jsonObject, attributes, context, ['attributes']),
      happenedAt,
      localAt,
    })),
  output: z.object({
    code: z.literal('').describe('Always empty.'),
    required: z.literal(false).describe('Always false.'),
    message_hash: z.literal('').describe('Always empty.'),
  }),
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        event: 'Level Up',
        hwid: 'phone-1',
        userId: 'user-1',
        attributes: { level: 7, amount: 4.99, currency: 'EUR' },
        timestampUTC: 1_768_478_400,
      },
      reply: { code: '', required: false, message_hash: '' },
    },
  ],
} as const;

export const postEvent = json13('postEvent', {
  description:
    'Records an event of a device, or of the device that a user used last; events of unknown devices are ignored.',
  ...definition,
});

export const eventApiPostEvent = json13('event-api/postEvent', {
  description: 'Records an event as postEvent does, under a separate path.',
  ...definition,
  path: '/api/v1/event-api/postEvent',
});
