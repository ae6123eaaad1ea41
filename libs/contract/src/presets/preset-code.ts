import { text } from '../values.ts';

/** The code of a preset, in the upper case that codes are stored in (R-RES1). */
export const presetCode = text.transform((code) => code.toUpperCase());
