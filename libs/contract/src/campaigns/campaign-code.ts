import { text } from '../values.ts';

/** The code of a campaign, in the upper case that codes are stored in (R-RES1). */
export const campaignCode = text.transform((code) => code.toUpperCase());
