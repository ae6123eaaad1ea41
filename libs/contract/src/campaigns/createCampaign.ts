import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { nonEmptyIdentity, object, optional, text } from '../values.ts';

export const createCampaign = json13('createCampaign', {
  description: 'Creates a campaign that messages count for.',
  scope: 'api',
  input: object({
    application: applicationCode,
    name: nonEmptyIdentity.describe('Name of the campaign.'),
    description: optional(text).describe('Description of the campaign.'),
  }).transform(({ description = '', ...given }) => ({ ...given, description })),
  output: z.object({ campaign: z.string().describe('Code of the new campaign.') }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5', name: 'Spring', description: 'Everything for the garden' },
      reply: { campaign: 'C1B2C-3D4E5' },
    },
  ],
});
