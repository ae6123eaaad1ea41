import { text } from '../values.ts';

/** The code of a campaign, in the upper case that codes are stored in (R-RES1). */
export const campaignCode = text.transform((code) => code.toUpperCase());

/** {@link campaignCode} of a campaign that must be there: "" is none (R-ER2, R-RES5). */
export const namedCampaign = text.refine((code) => code !== '', 'not found').transform((code) => code.toUpperCase());
