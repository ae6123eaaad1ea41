import { text } from '../values.ts';

/** An application code, in the upper case that codes are stored in; a wrong form is simply unknown (R-RES1). */
export const applicationCode = text.transform((code) => code.toUpperCase());
