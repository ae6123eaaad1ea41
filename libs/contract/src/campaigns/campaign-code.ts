import { identity } from '../values.ts';

/** The code of a campaign, in upper case as stored (R-RES1). */
export const campaignCode = identity.transform((code) => code.toUpperCase());

/** {@link campaignCode} of a required campaign; "" counts as none (R-ER2, R-RES5). */
export const namedCampaign = identity
  .refine((code) => code !== '', 'not found')
  .transform((code) => code.toUpperCase())
  .describe('Code of the campaign that the message counts for.');
