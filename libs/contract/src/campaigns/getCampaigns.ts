import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { integerOf, object, optional, text } from '../values.ts';

const DEFAULT_LIMIT = 50;

const cursor = text.refine((value) => /^\d{0,16}$/.test(value), 'must be the cursor of an earlier reply');

const CURSOR =
  'Start of the next page: the `cursor` of the previous page; empty for the first page and after the last.';

export const getCampaigns = json13('getCampaigns', {
  description:
    'Lists the campaigns of an application, oldest first; `cursor` selects the next page and is "" after the last.',
  scope: 'api',
  input: object({
    application: applicationCode,
    cursor: optional(cursor).describe(CURSOR),
    limit: optional(integerOf(1, 100)).describe('Campaigns per page; 50 if left out.'),
  }).transform(({ application, cursor: after = '', limit = DEFAULT_LIMIT }) => ({ application, after, limit })),
  output: z.object({
    campaigns: z
      .array(
        z.object({
          code: z.string().describe('Code of the campaign.'),
          name: z.string().describe('Name of the campaign.'),
          description: z.string().describe('Description of the campaign.'),
        }),
      )
      .describe('The campaigns, oldest first.'),
    limit: z.int().describe('Campaigns per page; 50 if left out.'),
    cursor: z.string().describe(CURSOR),
  }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5', cursor: '', limit: 10 },
      reply: { campaigns: [{ code: 'C1B2C-3D4E5', name: 'Spring', description: '' }], limit: 10, cursor: '' },
    },
  ],
});
