import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { nonEmptyIdentity, object, optional, text } from '../values.ts';

/** Creates a campaign that messages count for (R-RES5). */
export const createCampaign = json13('createCampaign', {
  scope: 'api',
  input: object({
    application: applicationCode,
    name: nonEmptyIdentity,
    description: optional(text),
  }).transform(({ description = '', ...given }) => ({ ...given, description })),
  output: z.object({ campaign: z.string() }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5', name: 'Spring', description: 'Everything for the garden' },
      reply: { campaign: 'C1B2C-3D4E5' },
    },
  ],
});
