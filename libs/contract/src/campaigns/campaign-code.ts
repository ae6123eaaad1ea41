import { identity } from '../values.ts';

export const campaignCode = identity.transform((code) => code.toUpperCase());

/** "" counts as none (R-ER2, R-RES5). */
export const namedCampaign = identity
  .refine((code) => code !== '', 'not found')
  .transform((code) => code.toUpperCase())
  .describe('Code of the campaign that the message counts for.');
