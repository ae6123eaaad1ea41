import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { integerOf, object, optional, text } from '../values.ts';

const DEFAULT_LIMIT = 50;

const cursor = text.refine((value) => /^\d{0,16}$/.test(value), 'must be the cursor of an earlier reply');

/** Lists the campaigns of an application, oldest first; `cursor` selects the next page and is "" after the last (R-X3). */
export const getCampaigns = json13('getCampaigns', {
  scope: 'api',
  input: object({
    application: applicationCode,
    cursor: optional(cursor),
    limit: optional(integerOf(1, 100)),
  }).transform(({ application, cursor: after = '', limit = DEFAULT_LIMIT }) => ({ application, after, limit })),
  output: z.object({
    campaigns: z.array(z.object({ code: z.string(), name: z.string(), description: z.string() })),
    limit: z.int(),
    cursor: z.string(),
  }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5', cursor: '', limit: 10 },
      reply: { campaigns: [{ code: 'C1B2C-3D4E5', name: 'Spring', description: '' }], limit: 10, cursor: '' },
    },
  ],
});
