import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { clientMoment } from '../fields/dates.ts';
import { hwid } from '../fields/device.ts';
import { integerOf, nothing, number, object, text, textOf } from '../values.ts';

const MAX_QUANTITY = 2_147_483_647;

export const setPurchase = json13('setPurchase', {
  description: 'Records a purchase: sets the default purchase tags, and counts as an event for conversions.',
  scope: 'device',
  input: object({
    application: applicationCode,
    hwid,
    transactionDate: clientMoment.describe(
      'Time of the purchase: Unix seconds or milliseconds, or a date such as `2026-01-15 12:00:00` in UTC.',
    ),
    quantity: integerOf(1, MAX_QUANTITY).describe('Number of items.'),
    currency: text
      .refine((value) => /^[A-Za-z]{3}$/.test(value), 'must be three letters')
      .meta({ pattern: '^[A-Za-z]{3}$' })
      .transform((value) => value.toUpperCase())
      .describe('Currency of the price, an ISO 4217 three-letter code.'),
    productIdentifier: textOf(1, 255).describe('Identifies the product.'),
    price: number
      .refine((value) => value >= 0, 'must be 0 or more')
      .meta({ minimum: 0 })
      .describe('Price of one item, 0 or more.'),
  }).refine(({ price, quantity }) => Number.isFinite(price * quantity), {
    path: ['price'],
    error: 'must be a number',
  }),
  output: nothing,
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        hwid: 'phone-1',
        transactionDate: '2026-01-15 12:00:00',
        quantity: 2,
        currency: 'EUR',
        productIdentifier: 'com.example.coins',
        price: 0.99,
      },
      reply: undefined,
    },
  ],
});
