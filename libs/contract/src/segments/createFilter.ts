import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { dayOfTime } from '../fields/dates.ts';
import { identity, identityOf, object, optional } from '../values.ts';

export const createFilter = json13('createFilter', {
  description:
    'Stores an expression of the segmentation language under a name that is unique in the account. The segment is ' +
    'deleted at the start of its expiration date, UTC, if any. An application has at most 10,000, and an account ' +
    '10,000 that are bound to no application, unless the operator sets another quota.',
  scope: 'api',
  input: object({
    name: identityOf(1, 255).describe('Name of the segment, unique in the account.'),
    filter_expression: identity.describe('Expression of the segmentation language.'),
    application: optional(applicationCode).describe(
      'Code of the application that the segment is bound to; none if left out.',
    ),
    expiration_date: optional(dayOfTime).describe(
      'The segment is deleted at the start of this day, in UTC: `YYYY-MM-DD`. Null or left out: never.',
    ),
  }).transform(({ name, filter_expression, application, expiration_date }) => ({
    name,
    expression: filter_expression,
    application: application ?? '',
    expiresAt: expiration_date,
  })),
  output: z.object({ name: z.string().describe('Name of the segment, unique in the account.') }),
  examples: [
    {
      request: {
        auth: 'token',
        name: 'Regulars',
        filter_expression: 'T("Level", GTE, 5) * T("Last Application Open", daysago, lte, 30)',
        application: 'A1B2C-3D4E5',
        expiration_date: '2030-01-01',
      },
      reply: { name: 'Regulars' },
    },
  ],
});
